package main

import (
	"os"
	"testing"

	"gopkg.in/yaml.v3"
)

// A yamlNode is YAML as the CI's files have it: maps, lists and scalars, these as they are written.
type yamlNode struct {
	text string
	keys []string // of a map, in order
	in   map[string]*yamlNode
	list []*yamlNode
}

func (n *yamlNode) UnmarshalYAML(node *yaml.Node) error {
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

// strings are the scalars of a list, or the one that stands in its place.
func (n *yamlNode) strings() (all []string) {
	for _, item := range n.list {
		all = append(all, item.text)
	}
	if n.text != "" {
		all = append(all, n.text)
	}
	return all
}

func readYAML(t *testing.T, path string) *yamlNode {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := parseYAML(string(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}

func parseYAML(data string) (*yamlNode, error) {
	n := new(yamlNode)
	return n, yaml.Unmarshal([]byte(data), n)
}
