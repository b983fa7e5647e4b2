package userfile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Texts is a list of texts that a file may write as one text, too.
type Texts []string

var texts = reflect.TypeFor[Texts]()

// fill puts a node of a file into a value. Nothing is turned into another type:
// 28.5 is no whole number and "28" is none either. A null is as good as nothing.
func (k Kind) fill(into reflect.Value, n ast.Node, path string) *Fault {
	switch v := n.(type) {
	case *ast.NullNode:
		return nil
	case *ast.TagNode:
		return k.fill(into, v.Value, path)
	}
	switch into.Kind() {
	case reflect.Struct:
		return k.fillObject(into, n, path)
	case reflect.Map:
		return k.fillMap(into, n, path)
	case reflect.Slice:
		if text, ok := textOf(n); ok && into.Type() == texts {
			into.Set(reflect.ValueOf(Texts{text}))
			return nil
		}
		return k.fillList(into, n, path)
	case reflect.Pointer:
		value := reflect.New(into.Type().Elem())
		into.Set(value)
		return k.fill(value.Elem(), n, path)
	}
	if setScalar(into, n) {
		return nil
	}
	return k.mismatch(into.Type(), n, path)
}

// setScalar reports whether the node was of the value's type.
func setScalar(into reflect.Value, n ast.Node) bool {
	switch into.Kind() {
	case reflect.String:
		text, ok := textOf(n)
		if ok {
			into.SetString(text)
		}
		return ok
	case reflect.Bool:
		b, ok := n.(*ast.BoolNode)
		if ok {
			into.SetBool(b.Value)
		}
		return ok
	case reflect.Int:
		whole, ok := wholeOf(n)
		if ok {
			into.SetInt(whole)
		}
		return ok
	case reflect.Float64:
		number, ok := numberOf(n)
		if ok {
			into.SetFloat(number)
		}
		return ok
	}
	return false
}

// fillObject fills a struct's fields by their JSON names.
func (k Kind) fillObject(into reflect.Value, n ast.Node, path string) *Fault {
	m, ok := n.(ast.MapNode)
	if !ok {
		return k.mismatch(into.Type(), n, path)
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
		if fault := k.fill(field, member.Value(), at); fault != nil {
			return fault
		}
	}
	return nil
}

// fillMap fills a map whose keys are texts.
func (k Kind) fillMap(into reflect.Value, n ast.Node, path string) *Fault {
	m, ok := n.(ast.MapNode)
	if !ok {
		return k.mismatch(into.Type(), n, path)
	}
	filled := reflect.MakeMap(into.Type())
	for member := m.MapRange(); member.Next(); {
		name := keyOf(member.Key())
		key := reflect.ValueOf(name).Convert(into.Type().Key())
		if filled.MapIndex(key).IsValid() {
			return &Fault{Line: lineOf(member.Key()), Text: join(path, name) + " is there twice"}
		}
		value := reflect.New(into.Type().Elem()).Elem()
		if fault := k.fill(value, member.Value(), join(path, name)); fault != nil {
			return fault
		}
		filled.SetMapIndex(key, value)
	}
	into.Set(filled)
	return nil
}

func (k Kind) fillList(into reflect.Value, n ast.Node, path string) *Fault {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return k.mismatch(into.Type(), n, path)
	}
	items := reflect.MakeSlice(into.Type(), len(list.Values), len(list.Values))
	for i, item := range list.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		if _, null := item.(*ast.NullNode); null {
			return k.mismatch(items.Index(i).Type(), item, at)
		}
		if fault := k.fill(items.Index(i), item, at); fault != nil {
			return fault
		}
	}
	into.Set(items)
	return nil
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// fieldNames are a struct's fields by their JSON names.
func fieldNames(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
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

// mismatch says what a field takes and what stands there.
func (k Kind) mismatch(want reflect.Type, n ast.Node, path string) *Fault {
	takes, has := named(want), nodeNamed(n)
	text := fmt.Sprintf("%s takes %s, and here is %s", path, takes, has)
	if path == "" {
		text = fmt.Sprintf("a %s is %s, and here is %s; %s", k.Noun, takes, has, k.See)
	}
	if (want.Kind() == reflect.String || want == texts) && (has == "a number" || has == "true or false") {
		text += "; put it in quotes"
	}
	return &Fault{Line: lineOf(n), Text: text}
}

// named is a type as people call it.
func named(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return named(t.Elem())
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		if t == texts {
			return "a text or a list of texts"
		}
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a text"
}
