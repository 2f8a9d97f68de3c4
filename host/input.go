// SPDX-License-Identifier: Apache-2.0

package host

import (
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tombolo-arrow/tombolo/bridge"
)

// arrow-go gives no error for what was released: a batch then has no columns and a column no data, and
// most of their methods panic. Inputs are looked at before anything is asked of them.

// isNil says whether an interface holds nothing or a nil pointer.
func isNil(value any) bool {
	if value == nil {
		return true
	}
	pointer := reflect.ValueOf(value)
	return pointer.Kind() == reflect.Pointer && pointer.IsNil()
}

// checkBatch refuses a batch that is nil or was released, or of which a column was.
func checkBatch(kernel string, argument int, batch arrow.RecordBatch) error {
	switch {
	case isNil(batch):
		return batchError(bridge.CodeInvalid, kernel, argument, "the batch is nil")
	case len(batch.Columns()) != batch.Schema().NumFields():
		return batchError(bridge.CodeReleased, kernel, argument, "the batch was released")
	}
	for i, column := range batch.Columns() {
		if err := checkColumn(kernel, argument, i, column); err != nil {
			return err
		}
	}
	return nil
}

func batchError(code bridge.Code, kernel string, argument int, text string) error {
	return bridge.ColumnError(code, kernel, argument, -1, text)
}

// checkColumn refuses a column that is nil or was released.
func checkColumn(kernel string, argument, column int, values arrow.Array) error {
	if isNil(values) {
		return bridge.ColumnError(bridge.CodeInvalid, kernel, argument, column, "the column is nil")
	}
	if data, ok := values.Data().(*array.Data); ok && data == nil {
		return bridge.ColumnError(
			bridge.CodeReleased, kernel, argument, column, "the column was released")
	}
	return nil
}
