package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// fieldName is how a field is known: journals write it in any case.
func fieldName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func readJSONLines(path string, data []byte) (rows []row, problems []problem) {
	for i, line := range strings.Split(unixLines(data), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		names, values, err := readObject(line)
		if err != nil {
			problems = append(problems, problem{path, i + 1, "is no JSON object: " + err.Error(), `write one object to a line, such as {"slug": "note", "channel": "linkedin-en", "post": "urn:li:share:1"}`})
			continue
		}
		if problem, found := repeatedName(path, i+1, names); found {
			problems = append(problems, problem)
			continue
		}
		r := row{i + 1, map[string]string{}}
		for name, value := range values {
			if value != nil {
				r.fields[fieldName(name)] = strings.TrimSpace(fmt.Sprint(value))
			}
		}
		rows = append(rows, r)
	}
	return rows, problems
}

// readObject reads a line that holds one object and nothing else. The names are all that it writes: of two that are the
// same, the values have the last only.
func readObject(line string) (names []string, values map[string]any, err error) {
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&values); err != nil {
		return nil, nil, err
	}
	if err := dec.Decode(new(any)); err != io.EOF { // More is false before a bracket, too
		return nil, nil, errors.New("more than one object")
	}
	dec = json.NewDecoder(strings.NewReader(line))
	_, err = dec.Token()
	for err == nil && dec.More() {
		var name json.Token
		if name, err = dec.Token(); err == nil {
			names = append(names, name.(string))
			err = dec.Decode(new(any))
		}
	}
	return names, values, err
}

// repeatedName finds a field that is written twice: nothing tells which of the two is meant.
func repeatedName(path string, line int, names []string) (p problem, found bool) {
	seen := map[string]bool{}
	for _, name := range names {
		known := fieldName(name)
		if seen[known] && known != "" { // as columns of a spreadsheet can be
			return problem{path, line, fmt.Sprintf("the field %q is there twice", known), "keep one of the two; upper and lower case make no difference"}, true
		}
		seen[known] = true
	}
	return problem{}, false
}

func readCSV(path string, data []byte) (rows []row, problems []problem) {
	first, _, _ := strings.Cut(string(data), "\n")
	reader := csv.NewReader(strings.NewReader(unixLines(data)))
	for _, comma := range ";\t" { // as spreadsheets export it
		if !strings.Contains(first, ",") && strings.ContainsRune(first, comma) {
			reader.Comma = comma
		}
	}
	names, err := reader.Read()
	if err == nil {
		line, _ := reader.FieldPos(0)
		if problem, found := repeatedName(path, line, names); found {
			return nil, append(problems, problem)
		}
	}
	for err == nil {
		var values []string
		if values, err = reader.Read(); err != nil {
			break
		}
		line, _ := reader.FieldPos(0)
		r := row{line, map[string]string{}}
		for i, name := range names {
			r.fields[fieldName(name)] = strings.TrimSpace(values[i])
		}
		rows = append(rows, r)
	}
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		problems = append(problems, problem{path, e.Line, e.Err.Error(), "write as many fields as the first line has names, and quote those that hold a comma or a quote"})
	} else if err != io.EOF {
		problems = append(problems, problem{path, 0, err.Error(), ""})
	}
	return rows, problems
}
