// SPDX-License-Identifier: Apache-2.0

// Package input looks at batches and columns before anything is asked of them: arrow-go gives no error
// for what was released, a batch then has no columns and a column no data, and most of their methods
// panic. It imports bridge alone.
package input

import (
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// IsNil says whether an interface holds nothing or a nil pointer.
func IsNil(value any) bool {
	if value == nil {
		return true
	}
	pointer := reflect.ValueOf(value)
	return pointer.Kind() == reflect.Pointer && pointer.IsNil()
}

// CheckBatch refuses a batch that is nil or was released, or of which a column was.
func CheckBatch(kernel string, argument int, batch arrow.RecordBatch) error {
	switch {
	case IsNil(batch):
		return batchError(bridge.CodeInvalid, kernel, argument, "the batch is nil")
	case len(batch.Columns()) != batch.Schema().NumFields():
		return batchError(bridge.CodeReleased, kernel, argument, "the batch was released")
	}
	for i, column := range batch.Columns() {
		if err := CheckColumn(kernel, argument, i, column); err != nil {
			return err
		}
	}
	return nil
}

func batchError(code bridge.Code, kernel string, argument int, text string) error {
	return bridge.ColumnError(code, kernel, argument, -1, text)
}

// CheckColumn refuses a column that is nil or was released.
func CheckColumn(kernel string, argument, column int, values arrow.Array) error {
	if IsNil(values) {
		return bridge.ColumnError(bridge.CodeInvalid, kernel, argument, column, "the column is nil")
	}
	if data, ok := values.Data().(*array.Data); ok && data == nil {
		return bridge.ColumnError(
			bridge.CodeReleased, kernel, argument, column, "the column was released")
	}
	return nil
}
