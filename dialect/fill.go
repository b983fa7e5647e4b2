package dialect

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// seeFields ends what is said about a field.
const seeFields = "fara prompt --dialect fara-1.5 --as-file shows what is expected"

// fill puts a node of a user's file into a value of a dialect. Nothing is turned
// into another type: 28.5 is no whole number and "28" is none either. A null is as
// good as nothing.
func fill(into reflect.Value, n ast.Node, path string) *Fault {
	switch v := n.(type) {
	case *ast.NullNode:
		return nil
	case *ast.TagNode:
		return fill(into, v.Value, path)
	}
	switch into.Kind() {
	case reflect.Struct:
		return fillObject(into, n, path)
	case reflect.Slice:
		return fillList(into, n, path)
	case reflect.String:
		if text, ok := textOf(n); ok {
			into.SetString(text)
			return nil
		}
	case reflect.Bool:
		if b, ok := n.(*ast.BoolNode); ok {
			into.SetBool(b.Value)
			return nil
		}
	case reflect.Int:
		if whole, ok := wholeOf(n); ok {
			into.SetInt(whole)
			return nil
		}
	case reflect.Float64:
		if number, ok := numberOf(n); ok {
			into.SetFloat(number)
			return nil
		}
	}
	return mismatch(into.Kind(), n, path)
}

// fillObject fills a struct's fields by their JSON names.
func fillObject(into reflect.Value, n ast.Node, path string) *Fault {
	m, ok := n.(ast.MapNode)
	if !ok {
		return mismatch(reflect.Struct, n, path)
	}
	seen := map[string]bool{}
	for member := m.MapRange(); member.Next(); {
		name, line := keyOf(member.Key()), lineOf(member.Key())
		at := join(path, name)
		field, ok := fieldNamed(into, name)
		switch {
		case !ok:
			return &Fault{Line: line, Text: fmt.Sprintf("there is no field %s; here are: %s", at, strings.Join(fieldNames(into.Type()), ", "))}
		case seen[name]:
			return &Fault{Line: line, Text: at + " is there twice"}
		}
		seen[name] = true
		if fault := fill(field, member.Value(), at); fault != nil {
			return fault
		}
	}
	return nil
}

func fillList(into reflect.Value, n ast.Node, path string) *Fault {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return mismatch(reflect.Slice, n, path)
	}
	items := reflect.MakeSlice(into.Type(), len(list.Values), len(list.Values))
	for i, item := range list.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		if _, null := item.(*ast.NullNode); null {
			return mismatch(items.Index(i).Kind(), item, at)
		}
		if fault := fill(items.Index(i), item, at); fault != nil {
			return fault
		}
	}
	into.Set(items)
	return nil
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

func keyOf(key ast.MapKeyNode) string {
	if text, ok := textOf(key); ok {
		return text
	}
	return key.String()
}

// fieldNames are a struct's fields by their JSON names.
func fieldNames(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

func fieldNamed(into reflect.Value, name string) (reflect.Value, bool) {
	i := slices.Index(fieldNames(into.Type()), name)
	if i < 0 {
		return reflect.Value{}, false
	}
	return into.Field(i), true
}

func textOf(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	}
	return "", false
}

func wholeOf(n ast.Node) (int64, bool) {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return 0, false
	}
	switch v := i.Value.(type) {
	case int64:
		return v, true
	case uint64:
		return int64(v), v <= math.MaxInt64
	}
	return 0, false
}

func numberOf(n ast.Node) (float64, bool) {
	switch v := n.(type) {
	case *ast.FloatNode:
		return v.Value, true
	case *ast.InfinityNode:
		return v.Value, true
	case *ast.NanNode:
		return math.NaN(), true
	}
	whole, ok := wholeOf(n)
	return float64(whole), ok
}

// mismatch says what a field takes and what stands there.
func mismatch(want reflect.Kind, n ast.Node, path string) *Fault {
	has := "a text"
	switch n.(type) {
	case *ast.NullNode:
		has = "nothing"
	case *ast.BoolNode:
		has = "true or false"
	case *ast.SequenceNode:
		has = "a list"
	case ast.MapNode:
		has = "an object"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		has = "a number"
	}
	takes := map[reflect.Kind]string{
		reflect.Struct: "an object", reflect.Slice: "a list", reflect.String: "a text", reflect.Bool: "true or false",
		reflect.Int: "a whole number", reflect.Float64: "a number",
	}[want]
	text := fmt.Sprintf("%s takes %s, and here is %s", path, takes, has)
	if path == "" {
		text = fmt.Sprintf("a dialect is %s, and here is %s; %s", takes, has, seeFields)
	}
	if want == reflect.String && (has == "a number" || has == "true or false") {
		text += "; put it in quotes"
	}
	return &Fault{Line: lineOf(n), Text: text}
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil {
		return t.Position.Line
	}
	return 1
}
