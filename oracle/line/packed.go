package line

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
)

// Unpack returns the content of a corpus, which is a gzip file.
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
