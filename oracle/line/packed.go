package line

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
)

// Unpack returns the content of a file of recordings, which is packed with gzip.
func Unpack(path string) (*bytes.Buffer, error) {
	packed, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, errors.Join(err, packed.Close())
	}
	var text bytes.Buffer
	_, err = io.Copy(&text, unpacked)
	return &text, errors.Join(err, packed.Close())
}
