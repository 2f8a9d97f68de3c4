// SPDX-License-Identifier: Apache-2.0

package orchestrator

// Row is one line of a results file: one case of one variant. Times with the suffix _ns are CPU time of the whole
// process for one iteration, but wall_ns.
type Row struct {
	Suite     string  `json:"suite"`
	Case      string  `json:"case"`
	Variant   string  `json:"variant"`
	SIMDLevel string  `json:"simd_level"`
	Reuse     bool    `json:"reuse"` // result memory is kept between iterations
	Nulls     int     `json:"nulls"` // every n-th value is null; 0 = none
	Rows      int64   `json:"rows"`
	Columns   int64   `json:"columns"`
	Bytes     int64   `json:"bytes"`
	TrialsNs  []int64 `json:"trials_ns"`
	MedianNs  int64   `json:"median_ns"`
	MinNs     int64   `json:"min_ns"`
	MaxNs     int64   `json:"max_ns"`
	WallNs    int64   `json:"wall_ns"`
	ControlNs int64   `json:"control_ns"`

	Allocs     float64 `json:"allocs"`
	AllocBytes float64 `json:"alloc_bytes"`
	Crossings  float64 `json:"crossings"`
	PeakBytes  int64   `json:"peak_bytes"`

	Verdict     string   `json:"verdict"`
	Ratio       float64  `json:"ratio"` // baseline median over this median; 0 = not compared
	Flags       []string `json:"flags"`
	Commit      string   `json:"commit"`
	MemLimit    int64    `json:"mem_limit"`
	Load        float64  `json:"load"`
	Competitors float64  `json:"competitors"` // CPU share of other processes while the case ran
	Repro       string   `json:"repro"`
	Machine     string   `json:"machine"`
}

// Void says whether the row's numbers must not be used.
func (r Row) Void() bool {
	for _, flag := range r.Flags {
		if len(flag) >= 5 && flag[:5] == "void:" {
			return true
		}
	}
	return false
}
