// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/tombolo-arrow/tombolo/bench/protocol"

func (w *worker) prepareJob(protocol.Case) (*protocol.Prepared, error) {
	return nil, protocol.ErrUnsupported
}
