// SPDX-License-Identifier: Apache-2.0

// Package abi is the Go side of the C interface: the mirror of the C structs, the exporter, the importer and the
// driver of a kernel library's table.
//
// It knows no way to call C: a carrier gives it a [Caller]. Everything C sees lies outside the Go heap, in blocks
// that this package pools; no Go pointer is ever stored there, and no C code calls back into Go. The package may
// import ownership and bridge; it does not import cgo, so it builds everywhere.
package abi
