// SPDX-License-Identifier: Apache-2.0

package abi

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// Keys that carry an extension type in a field's metadata.
const (
	extensionNameKey = "ARROW:extension:name"
	extensionDataKey = "ARROW:extension:metadata"
)

// encodeMetadata writes pairs as the C Data Interface wants them; no pairs give nil.
func encodeMetadata(metadata arrow.Metadata) []byte {
	if metadata.Len() == 0 {
		return nil
	}
	encoded := binary.NativeEndian.AppendUint32(nil, uint32(metadata.Len()))
	for i, key := range metadata.Keys() {
		encoded = binary.NativeEndian.AppendUint32(encoded, uint32(len(key)))
		encoded = append(encoded, key...)
		encoded = binary.NativeEndian.AppendUint32(encoded, uint32(len(metadata.Values()[i])))
		encoded = append(encoded, metadata.Values()[i]...)
	}
	return encoded
}

// readMetadata copies the metadata at an address; NULL has none. The format gives no total length, so a broken count
// would be followed through memory but for the bounds of validation.
func readMetadata(address uintptr) (arrow.Metadata, error) {
	if address == 0 {
		return arrow.Metadata{}, nil
	}
	used := 0
	number := func(limit int) (int, error) {
		// The address may have any alignment.
		count := int32(binary.NativeEndian.Uint32(span[byte](address+uintptr(used), 4)))
		if count < 0 || int(count) > limit {
			return 0, invalid("schema metadata has a count out of range")
		}
		used += 4
		return int(count), nil
	}
	pairs, err := number(ValidateMetadataPairsMax)
	if err != nil || pairs == 0 {
		return arrow.Metadata{}, err
	}
	texts := make([]string, 0, 2*pairs)
	for range 2 * pairs {
		length, err := number(ValidateMetadataBytesMax - used)
		if err != nil {
			return arrow.Metadata{}, err
		}
		texts = append(texts, string(span[byte](address+uintptr(used), length)))
		used += length
	}
	keys, values := make([]string, pairs), make([]string, pairs)
	for i := range pairs {
		keys[i], values[i] = texts[2*i], texts[2*i+1]
	}
	return arrow.NewMetadata(keys, values), nil
}

// withExtension adds the keys of an extension type to a field's metadata; keys that are there already are kept.
func withExtension(typ arrow.DataType, metadata arrow.Metadata) arrow.Metadata {
	extension, ok := typ.(arrow.ExtensionType)
	if !ok {
		return metadata
	}
	keys, values := slices.Clone(metadata.Keys()), slices.Clone(metadata.Values())
	add := func(key, value string) {
		if !slices.Contains(keys, key) {
			keys, values = append(keys, key), append(values, value)
		}
	}
	add(extensionNameKey, extension.ExtensionName())
	if data := extension.Serialize(); data != "" {
		add(extensionDataKey, data)
	}
	return arrow.NewMetadata(keys, values)
}

// rebuildExtension turns storage with extension metadata into the registered extension type and drops its keys.
// An unknown extension, or one that refuses the storage, stays storage with its metadata kept.
func rebuildExtension(field arrow.Field) arrow.Field {
	name, ok := field.Metadata.GetValue(extensionNameKey)
	if !ok {
		return field
	}
	registered := arrow.GetExtensionType(name)
	if registered == nil {
		return field
	}
	data, _ := field.Metadata.GetValue(extensionDataKey)
	extension, err := registered.Deserialize(field.Type, data)
	if err != nil || extension == nil || !arrow.TypeEqual(extension.StorageType(), field.Type) {
		return field
	}
	var keys, values []string
	for i, key := range field.Metadata.Keys() {
		if key != extensionNameKey && key != extensionDataKey {
			keys, values = append(keys, key), append(values, field.Metadata.Values()[i])
		}
	}
	field.Type, field.Metadata = extension, arrow.NewMetadata(keys, values)
	return field
}
