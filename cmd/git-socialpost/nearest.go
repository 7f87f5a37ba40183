package main

import (
	"slices"
	"strings"
)

// nearest is the word most like s, or "" if none is like it.
func nearest(s string, words []string) (best string) {
	least := 1 + max(2, len(s)/4)
	for _, w := range words {
		if d := distance(strings.ToLower(s), w); d < least {
			best, least = w, d
		}
	}
	return best
}

// nearestKey is the key most like another. Its slug must be like the other's by itself: a channel that both have makes no
// two articles alike.
func nearestKey(key string, keys []string) string {
	slug, _, _ := strings.Cut(key, ":")
	return nearest(key, slices.DeleteFunc(slices.Clone(keys), func(other string) bool {
		of, _, _ := strings.Cut(other, ":")
		return distance(slug, of) > max(1, len(slug)*2/5)
	}))
}

// distance counts the letters to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
