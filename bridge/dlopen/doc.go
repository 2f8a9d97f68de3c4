// SPDX-License-Identifier: Apache-2.0

// Package dlopen is the carrier that loads libtombolo at run time, with cgo on or off.
//
// Importing it registers the carrier "dlopen":
//
//	import _ "github.com/tombolo-arrow/tombolo/bridge/dlopen"
//
// A program without cgo that imports it is linked dynamically, which is why nothing else in this module imports it
// but the command, under the tag tombolo_dlopen or with cgo. The library is looked for in this order, and the first
// place that is named decides: a place that is named and fails is an error, not a reason to look further.
//
//  1. the path in the carrier's configuration ([bridge.Config].LibraryPath, host.LibraryPath);
//  2. the environment variable TOMBOLO_LIBRARY;
//  3. the image of a package that the program imports and that `tombolo prebuilt` wrote ([Provide]).
//
// Paths are absolute. The working folder and the system's library folders are never searched. An image is opened
// from a sealed memory file, else from a private file in the user's cache folder. A file is looked at before it is
// loaded: what is no library of this machine, is cut short or lacks the entry points is refused without running a
// line of it. A library is never unloaded.
//
// [Build] in the folder prebuilt makes the library from the embedded sources with the user's compiler.
package dlopen
