// SPDX-License-Identifier: Apache-2.0

package kerneltest

import (
	"bytes"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// Reporter is what a test gives to a check.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// CheckShape reports where a result breaks native/README.md: offset 0, no validity without nulls, a null count
// that is right, zero under nulls, zero padding as far as the buffers show it, offsets from zero.
func CheckShape(t Reporter, batch arrow.RecordBatch) {
	t.Helper()
	for i := range int(batch.NumCols()) {
		data := batch.Column(i).Data()
		if int64(data.Len()) != batch.NumRows() {
			t.Errorf("%s: %d rows in a batch of %d", describe(batch, i), data.Len(), batch.NumRows())
		}
		for _, fault := range shapeFaults(data) {
			t.Errorf("%s: %s", describe(batch, i), fault)
		}
	}
}

func shapeFaults(data arrow.ArrayData) []string {
	var faults []string
	if data.Offset() != 0 {
		faults = append(faults, "the offset is not 0")
	}
	storage := storageOf(data.DataType())
	if storage.ID() == arrow.NULL {
		return faults
	}
	rows := data.Len()
	valid := bufferBytes(data, 0)
	if data.NullN() == 0 && data.Buffers()[0] != nil {
		faults = append(faults, "a validity buffer without nulls")
	}
	if data.NullN() != 0 && data.NullN() != rows-bitutil.CountSetBits(valid, 0, rows) {
		faults = append(faults, "the null count is wrong")
	}
	if !paddingIsZero(data) {
		faults = append(faults, "padding is not zero")
	}
	for i := range rows {
		if valid != nil && !bitutil.BitIsSet(valid, i) && !slotIsZero(data, storage, i) {
			return append(faults, "a slot under a null is not zero")
		}
	}
	return faults
}

func storageOf(dataType arrow.DataType) arrow.DataType {
	if extension, ok := dataType.(arrow.ExtensionType); ok {
		return extension.StorageType()
	}
	return dataType
}

func bufferBytes(data arrow.ArrayData, i int) []byte {
	if buffer := data.Buffers()[i]; buffer != nil {
		return buffer.Bytes()
	}
	return nil
}

// paddingIsZero looks behind the used bytes of each buffer, as far as it is known to reach.
func paddingIsZero(data arrow.ArrayData) bool {
	for i, buffer := range data.Buffers() {
		if buffer == nil {
			continue
		}
		used := usedBytes(data, i)
		if rest := buffer.Buf()[min(used, len(buffer.Buf())):]; slices.ContainsFunc(rest, isNotZero) {
			return false
		}
		if i == 0 || storageOf(data.DataType()).ID() == arrow.BOOL {
			if tail := data.Len() % 8; tail != 0 && buffer.Bytes()[data.Len()/8]>>tail != 0 {
				return false
			}
		}
	}
	return true
}

func isNotZero(b byte) bool { return b != 0 }

// usedBytes is how much of buffer i the rows of a column with offset 0 take.
func usedBytes(data arrow.ArrayData, i int) int {
	rows := data.Len()
	storage := storageOf(data.DataType())
	if i == 0 {
		return (rows + 7) / 8
	}
	switch storage.ID() {
	case arrow.BOOL:
		return (rows + 7) / 8
	case arrow.STRING, arrow.BINARY:
		if i == 1 {
			return 4 * (rows + 1)
		}
		return int(textEnd(data))
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		if i == 1 {
			return 8 * (rows + 1)
		}
		return int(textEnd(data))
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		if i == 1 {
			return arrow.ViewHeaderSizeBytes * rows
		}
		return data.Buffers()[i].Len()
	default:
		return rows * slotWidth(storage)
	}
}

func textEnd(data arrow.ArrayData) int64 {
	offsets := bufferBytes(data, 1)
	switch data.DataType().ID() {
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return arrow.GetData[int64](offsets)[data.Len()]
	default:
		return int64(arrow.GetData[int32](offsets)[data.Len()])
	}
}

func slotWidth(storage arrow.DataType) int {
	if dictionary, ok := storage.(*arrow.DictionaryType); ok {
		storage = dictionary.IndexType
	}
	return storage.(arrow.FixedWidthDataType).BitWidth() / 8
}

func slotIsZero(data arrow.ArrayData, storage arrow.DataType, i int) bool {
	values := bufferBytes(data, 1)
	width := arrow.ViewHeaderSizeBytes
	switch storage.ID() {
	case arrow.BOOL:
		return !bitutil.BitIsSet(values, i)
	case arrow.STRING, arrow.BINARY:
		offsets := arrow.GetData[int32](values)
		return offsets[i] == offsets[i+1]
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		offsets := arrow.GetData[int64](values)
		return offsets[i] == offsets[i+1]
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
	default:
		width = slotWidth(storage)
	}
	return !slices.ContainsFunc(values[i*width:(i+1)*width], isNotZero)
}

// CheckEqual reports where two results differ in any bit: rows, types, null counts, validity, values, offsets,
// null slots. Dictionaries are compared by value.
func CheckEqual(t Reporter, got, want arrow.RecordBatch) {
	t.Helper()
	if got.NumRows() != want.NumRows() || got.NumCols() != want.NumCols() {
		t.Errorf("%d×%d, want %d×%d", got.NumRows(), got.NumCols(), want.NumRows(), want.NumCols())
		return
	}
	for i := range int(want.NumCols()) {
		if fault := difference(got.Column(i).Data(), want.Column(i).Data()); fault != "" {
			t.Errorf("%s: %s", describe(want, i), fault)
		}
	}
}

func difference(got, want arrow.ArrayData) string {
	switch {
	case !arrow.TypeEqual(got.DataType(), want.DataType()):
		return "type " + got.DataType().String()
	case got.NullN() != want.NullN():
		return "another null count"
	case storageOf(want.DataType()).ID() == arrow.NULL:
		return ""
	case len(got.Buffers()) != len(want.Buffers()):
		return "another number of buffers"
	}
	for i := range want.Buffers() {
		used := 0
		if want.Buffers()[i] != nil {
			used = usedBytes(want, i)
		}
		if !bytes.Equal(front(got, i, used), front(want, i, used)) {
			return "buffer " + string(rune('0'+i)) + " differs"
		}
	}
	if storageOf(want.DataType()).ID() == arrow.DICTIONARY && !sameValues(got.Dictionary(), want.Dictionary()) {
		return "the dictionaries differ"
	}
	return ""
}

// front gives the first used bytes of a buffer, fewer where it is shorter.
func front(data arrow.ArrayData, i, used int) []byte {
	b := bufferBytes(data, i)
	return b[:min(used, len(b))]
}
