package main

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// yamlNode is a value in a YAML file, such as a CI's: a map, a list, or a scalar as it is written.
type yamlNode struct {
	line int
	text string   // of a scalar
	keys []string // of a map, in order
	in   map[string]*yamlNode
	list []*yamlNode
}

func parseYAML(data []byte) (*yamlNode, error) {
	n := new(yamlNode)
	return n, yaml.Unmarshal(data, n)
}

func (n *yamlNode) UnmarshalYAML(node *yaml.Node) error {
	n.line = node.Line
	switch node.Kind {
	case yaml.ScalarNode:
		if node.Tag != "!!null" {
			n.text = node.Value
		}
		return nil
	case yaml.SequenceNode:
		return node.Decode(&n.list)
	}
	for i := 0; i < len(node.Content); i += 2 {
		n.keys = append(n.keys, node.Content[i].Value)
	}
	return node.Decode(&n.in)
}

// get follows keys into maps; what is not there is an empty node.
func (n *yamlNode) get(path ...string) *yamlNode {
	for _, key := range path {
		if n = n.in[key]; n == nil {
			return &yamlNode{}
		}
	}
	return n
}

func (n *yamlNode) has(key string) bool { return slices.Contains(n.keys, key) }

// items are those of a list, or the one value that stands in its place.
func (n *yamlNode) items() []*yamlNode {
	if n.list == nil && (n.text != "" || n.in != nil) {
		return []*yamlNode{n}
	}
	return slices.DeleteFunc(slices.Clone(n.list), func(item *yamlNode) bool { return item == nil })
}

// strings are the scalars among the items.
func (n *yamlNode) strings() (all []string) {
	for _, item := range n.items() {
		if item.text != "" {
			all = append(all, item.text)
		}
	}
	return all
}

// all is every scalar in a node, a line each.
func (n *yamlNode) all() string {
	if n == nil {
		return ""
	}
	text := n.text + "\n"
	for _, key := range n.keys {
		text += n.in[key].all()
	}
	for _, item := range n.list {
		text += item.all()
	}
	return text
}
