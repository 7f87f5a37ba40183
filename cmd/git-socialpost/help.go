package main

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// manual is the man page, docs/git-socialpost.1, as make manual prints it.
//
//go:embed manual.txt
var manual string

// topic is a part of the manual.
type topic struct {
	name    string // a command, or the heading in small letters with hyphens
	command bool
	text    string
}

// topics are the parts of the manual that help shows, in its order.
func topics() []*topic {
	var all []*topic
	var at *topic
	for line := range strings.Lines(manual) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch heading := strings.TrimSpace(line); {
		case heading == "" || indent > 3:
			if at != nil {
				at.text += line
			}
		case indent == 3: // below COMMANDS: the command, and its arguments
			name, _, _ := strings.Cut(heading, " ")
			if at == nil || at.name != name {
				at = &topic{name: name, command: true}
				all = append(all, at)
			}
			at.text += "git socialpost " + heading + "\n"
		case slices.Contains([]string{"NAME", "SYNOPSIS", "COMMANDS", "SEE ALSO"}, heading) || heading != strings.ToUpper(heading):
			at = nil
		default:
			at = &topic{name: strings.ReplaceAll(strings.ToLower(heading), " ", "-"), text: line}
			all = append(all, at)
		}
	}
	return all
}

// findTopic returns the topic of a name, or the only one that has a word which begins like that.
func findTopic(name string) (*topic, error) {
	var names []string
	var like []*topic
	for _, topic := range topics() {
		if topic.name == name {
			return topic, nil
		}
		if names = append(names, topic.name); strings.Contains("-"+topic.name, "-"+name) {
			like = append(like, topic)
		}
	}
	if len(like) == 1 {
		return like[0], nil
	}
	err := usagef("%q is no help topic", name)
	if near := nearest(name, names); near != "" {
		return nil, hinted(err, "did you mean: git socialpost help "+near)
	}
	return nil, hinted(err, "git socialpost help lists the topics")
}

// topicList ends the list of commands.
func topicList() string {
	var names []string
	for _, topic := range topics() {
		if !topic.command {
			names = append(names, topic.name)
		}
	}
	list := strings.Join(names, ", ")
	return "\nHELP TOPICS, for git socialpost help TOPIC:\n" + (&screen{columns: 78}).fold("   "+list, list) + "\n"
}

func (t *tool) helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "show a part of the manual",
		ArgsUsage: "[COMMAND | TOPIC]",
		Action:    t.help,
	}
}

func (t *tool) help(c *cli.Context) error {
	switch c.NArg() {
	case 0:
		return cli.ShowAppHelp(c)
	case 1:
		topic, err := findTopic(c.Args().First())
		if err != nil {
			return err
		}
		return t.page(c.Context, t.bare(), func(s *screen) error {
			return s.printf("%s\n", strings.TrimRight(topic.text, "\n"))
		})
	}
	return usagef("help takes one command or topic, got %d", c.NArg())
}
