// SPDX-License-Identifier: Apache-2.0

package portable

import "slices"

// kernels gathers the tables of all families.
func kernels() []kernel {
	return slices.Concat(
		selectionKernels(),
		compareKernels(),
		arithmeticKernels(),
		castKernels(),
		temporalKernels(),
		rechunkKernels(),
		indexInKernels(),
		groupByKernels(),
		geoKernels(),
		touchKernels(),
	)
}

// objectKinds gathers what prepare can make.
func objectKinds() []objectKind {
	return slices.Concat(batchKinds(), valueSetKinds())
}
