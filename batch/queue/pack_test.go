package queue

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stream makes a tar stream of entries as nobody would who means well.
func stream(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		if h.Typeflag == tar.TypeReg {
			h.Size = 4
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte("evil")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFolderThatMayNotBeUnpackedLeavesNothing(t *testing.T) {
	t.Parallel()
	file := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name} }
	good := file("good")
	whole := stream(t, good, file("frames/1"))
	cases := map[string][]byte{
		"parent":            stream(t, good, file("../x")),
		"parent inside":     stream(t, good, file("a/../../x")),
		"absolute":          stream(t, good, file("/tmp/x")),
		"absolute folder":   stream(t, good, tar.Header{Typeflag: tar.TypeDir, Name: "/tmp/x/"}),
		"symbolic link":     stream(t, good, tar.Header{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "/etc"}, file("l/x")),
		"hard link":         stream(t, good, tar.Header{Typeflag: tar.TypeLink, Name: "l", Linkname: "good"}),
		"device":            stream(t, good, tar.Header{Typeflag: tar.TypeChar, Name: "null"}),
		"pipe":              stream(t, good, tar.Header{Typeflag: tar.TypeFifo, Name: "p"}),
		"twice":             stream(t, good, good),
		"file as folder":    stream(t, good, file("good/x")),
		"folder as file":    stream(t, tar.Header{Typeflag: tar.TypeDir, Name: "d/"}, file("d")),
		"folder over file":  stream(t, good, tar.Header{Typeflag: tar.TypeDir, Name: "good/"}),
		"too long a name":   stream(t, good, file(strings.Repeat("x", 300))),
		"too many bytes":    stream(t, good, file("a"), file("b"), file("c")),
		"cut in the middle": whole[:514],
		"cut in a head":     whole[:1300],
		"no tar stream":     bytes.Repeat([]byte("hello"), 500),
	}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			err := unpack(bytes.NewReader(data), filepath.Join(parent, "run"), 12)
			if !errors.Is(err, ErrFolder) {
				t.Errorf("got %v, want ErrFolder", err)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := unpack(bytes.NewReader(whole), dir, 12); err != nil {
		t.Errorf("the good folder: %v", err)
	}
	if err := unpack(bytes.NewReader(whole), dir, 12); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a folder that is there: got %v, want os.ErrExist", err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "frames", "1")); err != nil || string(data) != "evil" {
		t.Errorf("the folder that was there holds %q, %v", data, err)
	}
}

func TestFolderWithMoreThanFilesIsNotPacked(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(dir string) error{
		"link":     func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "l")) },
		"too much": func(dir string) error { return os.WriteFile(filepath.Join(dir, "f"), make([]byte, 101), 0o600) },
		"missing":  os.RemoveAll,
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if err := pack(&bytes.Buffer{}, dir, 100); !errors.Is(err, ErrFolder) {
			t.Errorf("%s: got %v, want ErrFolder", name, err)
		}
	}
}

func TestTokensAreValidAndDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, key := range []string{"", "a", "A", "a b", "a.b", "a*b", "a>b", "a=b", "a=20b", "=h", "ü", "a\nb", strings.Repeat("x", 400), strings.Repeat("x", 401)} {
		got := token(key)
		if got == "" || strings.ContainsAny(got, ".*> \t\r\n") || len(got) > 150 {
			t.Errorf("token(%q) = %q, which is no token", key, got)
		}
		if other, twice := seen[got]; twice {
			t.Errorf("%q and %q have the token %q", key, other, got)
		}
		seen[got] = key
	}
	if got := token("tea#2"); got != "tea=232" {
		t.Errorf("token(tea#2) = %s, want tea=232", got)
	}
}
