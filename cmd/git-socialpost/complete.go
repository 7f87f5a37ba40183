package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// offer is a word that may stand at the cursor.
type offer struct{ value, about string }

// completeCommand answers the shells (see share/): its arguments are the words after "git socialpost", the last of them
// the one at the cursor. Commands, flags and what they take are read from the program itself.
func (t *tool) completeCommand() *cli.Command {
	return &cli.Command{
		Name:            "__complete",
		Usage:           "offer words for the cursor, each with a tab and what it is",
		ArgsUsage:       "WORD...",
		Hidden:          true,
		HideHelp:        true,
		SkipFlagParsing: true,
		Action:          t.complete,
	}
}

// complete says nothing where it knows nothing: whoever presses Tab has not asked for an error.
func (t *tool) complete(c *cli.Context) error {
	defer t.close()
	words := c.Args().Slice()
	if len(words) == 0 {
		words = []string{""}
	}
	for _, o := range t.offers(c, t.readLine(c.App, words)) {
		if o.value == visible(o.value) && !strings.ContainsAny(o.value, "\t\n") {
			fmt.Fprintf(t.stdout, "%s\t%s\n", o.value, brief(o.about))
		}
	}
	return nil
}

// commandLine is what stands before the cursor, and the word at it.
type commandLine struct {
	cmd    *cli.Command // nil: still to come
	flags  []cli.Flag   // that may stand here
	used   []string     // names of the flags that do
	args   int          // how many arguments do
	ended  bool         // by "--": no more flags
	valued cli.Flag     // whose value is at the cursor, or nil
	prefix string       // of that word, before the value: --flag=
	word   string
}

func (t *tool) readLine(app *cli.App, words []string) *commandLine {
	line := &commandLine{flags: slices.Concat(app.Flags, t.commonFlags()), word: words[len(words)-1]}
	for _, word := range words[:len(words)-1] {
		switch {
		case line.valued != nil:
			line.valued = nil
		case word == "--" && !line.ended:
			line.ended = true
		case isFlag(word) && !line.ended:
			line.useFlag(word)
		case line.cmd == nil:
			line.choose(app, word)
		default:
			line.args++
		}
	}
	if name, _, found := strings.Cut(line.word, "="); found && isFlag(name) && !line.ended && line.valued == nil {
		line.useFlag(name)
		line.prefix = name + "="
	}
	return line
}

func (l *commandLine) choose(app *cli.App, name string) {
	l.flags = nil
	if l.cmd = app.Command(name); l.cmd == nil || l.cmd.Hidden {
		l.cmd = &cli.Command{} // it takes nothing that is known here
		return
	}
	for _, flag := range slices.Concat(l.cmd.Flags, app.Flags) {
		if flag != cli.VersionFlag { // which no command has
			l.flags = append(l.flags, flag)
		}
	}
}

// useFlag waits for the flag's value, if it takes one and does not bring it along.
func (l *commandLine) useFlag(word string) {
	name, _, valued := strings.Cut(strings.TrimLeft(word, "-"), "=")
	for _, flag := range l.flags {
		if !slices.Contains(flag.Names(), name) {
			continue
		}
		l.used = append(l.used, flag.Names()...)
		if doc, ok := flag.(cli.DocGenerationFlag); ok && doc.TakesValue() && !valued {
			l.valued = flag
		}
		return
	}
}

func (t *tool) offers(c *cli.Context, line *commandLine) []offer {
	switch {
	case line.valued != nil:
		found := t.values(c.Context, placeholder(line.valued), false)
		for i := range found {
			if found[i].value != "" {
				found[i].value = line.prefix + found[i].value
			}
		}
		return found
	case line.prefix != "":
		return nil // of a flag that there is not, or that takes no value
	case isFlag(line.word+"-") && !line.ended && line.word != "":
		return line.flagOffers()
	case line.cmd == nil:
		return commandOffers(c.App)
	}
	kind := argument(line.cmd.ArgsUsage, line.args)
	if kind == "" && !line.ended {
		return line.flagOffers()
	}
	return t.values(c.Context, kind, line.cmd.Name == "resolve")
}

func commandOffers(app *cli.App) (all []offer) {
	for _, cmd := range app.VisibleCommands() {
		all = append(all, offer{cmd.Name, cmd.Usage})
	}
	return all
}

func (l *commandLine) flagOffers() (all []offer) {
	for _, flag := range l.flags {
		if shown, ok := flag.(cli.VisibleFlag); ok && !shown.IsVisible() || slices.Contains(l.used, flag.Names()[0]) {
			continue
		}
		var about string
		if doc, ok := flag.(cli.DocGenerationFlag); ok {
			about = strings.ReplaceAll(doc.GetUsage(), "`", "")
		}
		for _, name := range flag.Names() {
			if name = dashed(name); strings.HasPrefix(name, l.word) {
				all = append(all, offer{name, about})
			}
		}
	}
	return all
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

var backquoted = regexp.MustCompile("`([^`]+)`")

// placeholder is what help calls a flag's value, such as FILE.
func placeholder(flag cli.Flag) string {
	doc, ok := flag.(cli.DocGenerationFlag)
	if !ok {
		return ""
	}
	if name := backquoted.FindStringSubmatch(doc.GetUsage()); name != nil {
		return name[1]
	}
	return ""
}

// argument is what help calls the n-th argument of a command, such as KEY, or "" if it takes no more.
func argument(usage string, n int) string {
	var kind string
	for i, word := range strings.Fields(strings.ReplaceAll(usage, " | ", "|")) {
		kind = strings.Trim(word, "[].")
		if i == n || strings.Contains(word, "...") {
			return kind
		}
	}
	return ""
}
