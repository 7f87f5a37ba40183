package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/git-socialpost/git-socialpost/linkedin"
)

const (
	previewMark  = "<!-- git-socialpost plan -->" // by which a bot finds its comment again
	commentLimit = 65536                          // characters that GitHub takes
)

// printMarkdown prints the plan as a comment for those who review it.
func (p *plan) printMarkdown(w io.Writer, src *source) error {
	_, err := io.WriteString(w, bounded(append([]string{previewMark + "\n"}, p.preview(src)...), commentLimit, commentLength))
	return err
}

// commentLength is what GitHub counts, of a text as it is printed there.
func commentLength(s string) int { return len(utf16.Encode([]rune(harmless(s)))) }

// preview is the plan in blocks of Markdown: what is new with its text, what matters first; then a line for each that is
// settled.
func (p *plan) preview(src *source) []string {
	var fresh, settled []*delivery
	for _, d := range p.Deliveries {
		if d.Decision == delivered || d.Decision == abandoned {
			settled = append(settled, d)
		} else {
			fresh = append(fresh, d)
		}
	}
	order := []decision{invalid, open, send, blocked, held, scheduled}
	slices.SortStableFunc(fresh, func(a, b *delivery) int {
		return cmp.Compare(slices.Index(order, a.Decision), slices.Index(order, b.Decision))
	})
	blocks := []string{"### What would be posted\n\n" + p.counts(order) + "\n"}
	if refusal := p.overLimit(); refusal != "" {
		blocks = append(blocks, "\n- warning: "+inCode(refusal)+"\n")
	}
	for _, w := range src.warnings {
		blocks = append(blocks, "\n- warning: "+inCode(w.String()+"; "+w.Remedy)+"\n")
	}
	for _, d := range fresh {
		blocks = append(blocks, d.preview())
	}
	return append(blocks, deliveryTable(settled)...)
}

func (p *plan) counts(order []decision) string {
	n := map[decision]int{}
	for _, d := range p.Deliveries {
		n[d.Decision]++
	}
	var parts []string
	for _, d := range append(order, delivered, abandoned) {
		if n[d] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[d], d))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "No posts, and no open deliveries") + "."
}

// preview is one delivery, with the text that readers would see.
func (d *delivery) preview() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n#### %s: %s\n\n", inCode(cmp.Or(d.Key, d.Path)), d.Decision)
	if d.Reason != "" && d.Decision != invalid {
		fmt.Fprintf(&b, "%s  \n", inCode(d.Reason))
	}
	if d.Decision == open {
		fmt.Fprintf(&b, "To settle it: %s  \n", inCode("git socialpost resolve "+d.Key))
	}
	if d.PublishAfter != nil {
		fmt.Fprintf(&b, "Not before %s  \n", d.PublishAfter.Format("2006-01-02 15:04 -07:00"))
	}
	p := d.post
	if p == nil {
		text, _ := linkedin.Text(d.record.Payload)
		return b.String() + "The file is gone; the ledger has the text:\n\n" + fenced("text", text)
	}
	if p.Channel != nil && p.Text != "" {
		fmt.Fprintf(&b, "%d of %d UTF-16 units, to %s as %s, %s  \n", d.Length, linkedin.MaxLength, p.Channel.Platform, inCode(p.Channel.Author), p.Channel.Visibility)
	}
	if p.Link != "" {
		fmt.Fprintf(&b, "Link card: %s, %s  \n", inCode(p.Link), inCode(strings.TrimRight(p.Title+" / "+p.Description, " /")))
	}
	for _, problem := range slices.Concat(p.Problems, p.Warnings) {
		fmt.Fprintf(&b, "\n- %s\n", inCode(problem.String()+"; "+problem.Remedy))
	}
	if p.Text != "" {
		b.WriteString("\n" + fenced("text", p.Text))
	}
	return b.String()
}

// deliveryTable is a table in blocks, one for each delivery.
func deliveryTable(all []*delivery) (rows []string) {
	for _, d := range all {
		var said []string
		if d.Post != nil && d.URL != nil {
			said = append(said, hyperlink(*d.Post, *d.URL))
		}
		if d.Reason != "" {
			said = append(said, inCode(d.Reason))
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", inCode(cmp.Or(d.Key, d.Path)), d.Decision, strings.Join(said, " ")))
	}
	if len(rows) > 0 {
		rows[0] = "\n| delivery | decision | |\n|---|---|---|\n" + rows[0]
	}
	return rows
}
