// SPDX-License-Identifier: Apache-2.0

package dlopen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// imageBytesMax bounds an image; the library has about half a MiB.
const imageBytesMax = 64 << 20

// Provider is a library image that a package carries. `tombolo prebuilt` writes such a package.
type Provider struct {
	Name   string // of the package, for messages
	SHA256 string // of the library in hex
	Zstd   []byte // the library, compressed; only read
}

var providers struct {
	sync.Mutex
	found []Provider
}

// Provide offers an image. It is meant for the init function of a package that `tombolo prebuilt` wrote. The first that
// was offered is taken. It is safe for concurrent use.
func Provide(provider Provider) {
	providers.Lock()
	defer providers.Unlock()
	providers.found = append(providers.found, provider)
}

func provided() (Provider, bool) {
	providers.Lock()
	defer providers.Unlock()
	if len(providers.found) == 0 {
		return Provider{}, false
	}
	return providers.found[0], true
}

// unpack gives the library, held to its digest.
func (p Provider) unpack() ([]byte, error) {
	reader, err := zstd.NewReader(bytes.NewReader(p.Zstd), zstd.WithDecoderMaxMemory(imageBytesMax))
	if err != nil {
		return nil, &LoadError{Where: p.Name, Reason: ErrDamaged, Detail: err.Error()}
	}
	defer reader.Close()

	library, err := io.ReadAll(io.LimitReader(reader, imageBytesMax+1))
	switch {
	case err != nil:
		return nil, &LoadError{Where: p.Name, Reason: ErrDamaged, Detail: err.Error()}
	case len(library) > imageBytesMax:
		return nil, &LoadError{Where: p.Name, Reason: ErrDamaged, Detail: "larger than a library may be"}
	}
	if digest := sha256.Sum256(library); hex.EncodeToString(digest[:]) != p.SHA256 {
		return nil, &LoadError{Where: p.Name, Reason: ErrDamaged}
	}
	return library, nil
}
