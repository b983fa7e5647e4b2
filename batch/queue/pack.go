package queue

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxEntries limits the files and folders of one folder.
const maxEntries = 200_000

// pack writes the files of a folder as a tar stream, with their bytes and names and
// nothing else. Anything but files and folders is ErrFolder.
func pack(w io.Writer, folder string, limit int64) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFolder, err)
	}
	defer root.Close()
	out := tar.NewWriter(w)
	left, entries := limit, 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if entries++; entries > maxEntries {
			return fmt.Errorf("more than %d entries", maxEntries)
		}
		n, err := packEntry(out, root, name, d, left)
		left -= n
		return err
	})
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFolder, folder, err)
	}
	return out.Close()
}

func packEntry(out *tar.Writer, root *os.Root, name string, d fs.DirEntry, left int64) (int64, error) {
	if d.IsDir() {
		return 0, out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755})
	}
	if !d.Type().IsRegular() {
		return 0, fmt.Errorf("%s is neither a file nor a folder", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() > left {
		return 0, fmt.Errorf("more bytes than the limit of a folder at %s", name)
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o644}); err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(f, info.Size()))
	if err == nil && n < info.Size() {
		err = fmt.Errorf("%s became shorter while it was read", name)
	}
	return n, err
}

// unpack makes dir, which must not exist, from a tar stream that may be anything. Names
// that lead out of it, entries that are neither files nor folders, doubled names and more
// than limit bytes are ErrFolder. Unless all went well dir is not there afterwards.
func unpack(r io.Reader, dir string, limit int64) (err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in := tar.NewReader(r)
	for entries := 0; ; entries++ {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, r) // what follows the end belongs to the checksum
			return err
		}
		if err != nil {
			return damaged(err)
		}
		if entries >= maxEntries {
			return fmt.Errorf("%w: more than %d entries", ErrFolder, maxEntries)
		}
		if limit -= head.Size; limit < 0 {
			return fmt.Errorf("%w: more bytes than the limit of a folder at %q", ErrFolder, head.Name)
		}
		if err := unpackEntry(root, head, in); err != nil {
			return err
		}
	}
}

// damaged is ErrFolder for a stream that is no tar stream; others keep their error.
func damaged(err error) error {
	if errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, tar.ErrFieldTooLong) {
		return fmt.Errorf("%w: %w", ErrFolder, err)
	}
	return err
}

func unpackEntry(root *os.Root, head *tar.Header, in io.Reader) error {
	name := filepath.FromSlash(head.Name)
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%w: the name %q leads out of it", ErrFolder, head.Name)
	}
	switch head.Typeflag {
	case tar.TypeDir:
		return unusable(root.MkdirAll(name, 0o755), head)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%w: %q is neither a file nor a folder", ErrFolder, head.Name)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return unusable(err, head)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return unusable(err, head)
	}
	_, err = io.Copy(f, in)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(damaged(err), f.Close())
}

// unusable is ErrFolder for errors that come of an entry's name, not of this machine's
// disk: doubled ones, files as folders, names that no file can have.
func unusable(err error, head *tar.Header) error {
	for _, e := range []error{fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ELOOP} {
		if errors.Is(err, e) {
			return fmt.Errorf("%w: the entry %.100q: %w", ErrFolder, head.Name, err)
		}
	}
	return err
}
