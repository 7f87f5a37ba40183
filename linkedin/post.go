package linkedin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A Post is what a person reads in the feed. Without a Link there is no card, and its title and description are ignored.
type Post struct {
	Author      string // urn:li:person:… or urn:li:organization:…
	Visibility  string // such as PUBLIC
	Text        string // plain text, as readers shall see it
	Link        string
	Title       string
	Description string
}

type payload struct {
	Author       string       `json:"author"`
	Commentary   string       `json:"commentary"`
	Visibility   string       `json:"visibility"`
	Distribution distribution `json:"distribution"`
	Content      *content     `json:"content,omitempty"`
	Lifecycle    string       `json:"lifecycleState"`
	NoReshare    bool         `json:"isReshareDisabledByAuthor"`
}

type distribution struct {
	Feed       string   `json:"feedDistribution"`
	Targets    []string `json:"targetEntities"`
	ThirdParty []string `json:"thirdPartyDistributionChannels"`
}

type content struct {
	Article article `json:"article"`
}

// LinkedIn reads the card's fields literally: they are no little text.
type article struct {
	Source      string `json:"source"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// Payload returns the body of the request that creates the post. Equal posts give equal bytes.
func (p Post) Payload() []byte {
	body := payload{
		Author:       p.Author,
		Commentary:   Escape(p.Text),
		Visibility:   p.Visibility,
		Distribution: distribution{Feed: "MAIN_FEED", Targets: []string{}, ThirdParty: []string{}},
		Lifecycle:    "PUBLISHED",
	}
	if p.Link != "" {
		body.Content = &content{article{p.Link, p.Title, p.Description}}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		panic(err) // strings and a bool always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Text returns the text that readers see of a post with this payload.
func Text(payload []byte) (string, error) {
	var body struct {
		Commentary *string `json:"commentary"`
	}
	if err := json.Unmarshal(payload, &body); err != nil {
		return "", fmt.Errorf("payload: %w", err)
	}
	if body.Commentary == nil {
		return "", errors.New("payload: no commentary")
	}
	return Unescape(*body.Commentary)
}
