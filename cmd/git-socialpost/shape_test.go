package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/git-socialpost/git-socialpost/"

// imports are what the packages of this module may import of each other, and of what starts processes or speaks HTTP.
var imports = map[string][]string{
	"gitexec":              {"os/exec"},
	"ledger":               {"gitexec"},
	"linkedin":             {"net/http"},
	"linkedin/sandbox":     {"linkedin", "net/http"},
	"cmd/git-socialpost":   {"gitexec", "ledger", "linkedin"},
	"cmd/linkedin-sandbox": {"linkedin/sandbox", "net/http"},
}

var guarded = []string{"os/exec", "net/http", "net", "net/rpc", "plugin", "unsafe", "C"}

// outside is the process around the program. Only a main.go touches it.
var outside = []string{"Exit", "Args", "Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Chdir", "Stdin", "Stdout", "Stderr"}

func TestShape(t *testing.T) {
	seen := map[string]bool{}
	eachFile(t, func(name string, file *ast.File) {
		dir := path.Dir(name)
		seen[dir] = true
		allowed, known := imports[dir]
		if !known {
			t.Errorf("%s: a package that the architecture does not know", name)
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			own, isOwn := strings.CutPrefix(imported, module)
			if (isOwn || slices.Contains(guarded, imported)) && !slices.Contains(allowed, own) && !excepted(name, imported) {
				t.Errorf("%s imports %s", name, imported)
			}
		}
		if path.Base(name) != "main.go" || !strings.HasPrefix(dir, "cmd/") {
			for _, use := range uses(file, "os", outside) {
				t.Errorf("%s uses os.%s", name, use)
			}
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", name)
			}
		}
	})
	for dir := range imports {
		if !seen[dir] {
			t.Errorf("%s: no such package", dir)
		}
	}
}

// excepted is for the files that need a network without HTTP, each with its reason.
func excepted(name, imported string) bool {
	switch {
	case imported != "net":
		return false
	case strings.HasPrefix(name, "linkedin/"): // the one-shot client's wire, and the sandbox's faults
		return true
	}
	return name == "cmd/linkedin-sandbox/main.go" // listens
}

// uses returns what a file takes of a package, under whatever name it imports it.
func uses(file *ast.File, pkg string, names []string) (found []string) {
	local := ""
	for _, spec := range file.Imports {
		if spec.Path.Value != strconv.Quote(pkg) {
			continue
		}
		if local = path.Base(pkg); spec.Name != nil {
			local = spec.Name.Name
		}
	}
	if local == "." {
		return []string{"all, by a dot import"}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && local != "" && x.Name == local && slices.Contains(names, sel.Sel.Name) {
				found = append(found, sel.Sel.Name)
			}
		}
		return true
	})
	return found
}

// eachFile visits the product's Go files, named from the module's top.
func eachFile(t *testing.T, visit func(name string, file *ast.File)) {
	t.Helper()
	top := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(top), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(top, filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		visit(name, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The check itself must find what it looks for.
func TestShapeFinds(t *testing.T) {
	const text = `package p
import sys "os"
var a, b = sys.Args, sys.Getenv("X")
func f() { sys.Exit(1) }
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := uses(file, "os", outside); !slices.Equal(got, []string{"Args", "Getenv", "Exit"}) {
		t.Errorf("got %q", got)
	}
}
