// SPDX-License-Identifier: Apache-2.0

package portable

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// keyBlockRows is how many rows are numbered at a time: small enough for the scratch to stay in the first cache,
// and for 64 KiB of input between two looks at the context.
const keyBlockRows = 1024

// keysMax bounds the numbers of a keySet and of a pairSet, which are int32.
const keysMax = math.MaxInt32

// keySet numbers the distinct keys of one column from 0 in order of first appearance. A null is a key.
type keySet struct {
	kind  keyKind
	table hashTable
	null  int32 // number of the null key, -1 until it comes
	count int
	limit int
	full  bool     // a key was refused for the limit
	keys  []uint64 // integer keys by number
	texts textHeap // text keys by number
}

func newKeySet(kind keyKind) keySet {
	return keySet{kind: kind, table: newHashTable(0), null: -1, limit: keysMax}
}

// reserve makes room for count keys, which are most likely to come: what grows step by step is copied in between, and
// no look at the context ends a copy.
func (s *keySet) reserve(c *call, count int) error {
	s.table.reserveWithin(c.ctx, count)
	if s.kind == keyText {
		s.texts.ends = makeWithin[int64](c.ctx, count)[:0]
	} else {
		s.keys = makeWithin[uint64](c.ctx, count)[:0]
	}
	return c.cancelled()
}

// keyColumn reads the key column of one batch, in any encoding.
type keyColumn struct {
	kind       keyKind
	integers   integerColumn
	texts      textColumn
	dictionary codedColumn
	isCoded    bool
	// numbers gives the number for each dictionary code, unknownNumber before its first use. It is nil where
	// the dictionary is longer than the batch, so that clearing it would cost more than it saves.
	numbers []int32
}

const unknownNumber = math.MinInt32

// reset points the column at a batch; the memory of numbers is kept for the next.
func (k *keyColumn) reset(data arrow.ArrayData) {
	numbers := k.numbers[:0]
	*k = keyColumn{kind: keyKindOf(data.DataType())}
	switch {
	case k.kind == keyInteger:
		k.integers = newIntegerColumn(data)
	case data.DataType().ID() == arrow.DICTIONARY:
		k.isCoded = true
		k.dictionary = newCodedColumn(data)
		if size := k.dictionary.size; size <= data.Len() {
			for range size {
				numbers = append(numbers, unknownNumber)
			}
			k.numbers = numbers
		}
	default:
		k.texts = newTextColumn(data)
	}
}

// blockRows is how many rows come next: fewer than keyBlockRows where long texts fill pollBytes sooner.
func (k *keyColumn) blockRows(row, rows int) int {
	return k.texts.rowsWithin(row, min(keyBlockRows, rows-row), pollBytes)
}

// numberCodes fills numbers for the rows of a dictionary column from row on, asking for each value of the dictionary
// once while the column keeps what it was told. It returns false for a code outside the dictionary. codes is scratch.
func (k *keyColumn) numberCodes(
	row int, codes []uint64, numbers []int32, ofNull func() int32, ofValue func(*textColumn, int) int32,
) bool {
	dictionary := &k.dictionary
	dictionary.codes.keys(row, codes)
	for i, code := range codes {
		if !dictionary.codes.valid.bit(row + i) {
			numbers[i] = ofNull()
			continue
		}
		if code >= uint64(dictionary.size) {
			return false
		}
		if k.numbers == nil {
			numbers[i] = ofValue(&dictionary.values, int(code))
			continue
		}
		number := k.numbers[code]
		if number == unknownNumber {
			number = ofValue(&dictionary.values, int(code))
			k.numbers[code] = number
		}
		numbers[i] = number
	}
	return true
}

// number fills numbers for the rows from row on, adding what is new. It returns false for a dictionary code
// outside its dictionary.
func (s *keySet) number(column *keyColumn, row int, numbers []int32, scratch *[keyBlockRows]uint64) bool {
	block := scratch[:len(numbers)]
	switch {
	case column.kind == keyInteger:
		column.integers.keys(row, block)
		s.numberIntegers(column.integers.valid, row, block, numbers)
	case column.isCoded:
		return column.numberCodes(row, block, numbers, s.numberOfNull, s.numberOfValue)
	default:
		column.texts.tags(row, block, &s.table.seeds)
		s.numberTexts(&column.texts, row, block, numbers)
	}
	return true
}

func (s *keySet) numberIntegers(valid bitmap, row int, keys []uint64, numbers []int32) {
	for i, key := range keys {
		if !valid.bit(row + i) {
			numbers[i] = s.numberOfNull()
			continue
		}
		number := s.table.find(key)
		if number < 0 {
			number = s.addInteger(key)
		}
		numbers[i] = number
	}
}

func (s *keySet) numberTexts(column *textColumn, row int, tags []uint64, numbers []int32) {
	for i, tag := range tags {
		if !column.valid.bit(row + i) {
			numbers[i] = s.numberOfNull()
			continue
		}
		if tag&textLong != 0 {
			numbers[i] = s.numberOfText(tag, column.at(row+i))
			continue
		}
		number := s.table.find(tag)
		if number < 0 {
			number = s.addText(tag, column.at(row+i))
		}
		numbers[i] = number
	}
}

// numberOfValue finds or adds one text of a dictionary.
func (s *keySet) numberOfValue(values *textColumn, at int) int32 {
	if !values.valid.bit(at) {
		return s.numberOfNull()
	}
	text := values.at(at)
	return s.numberOfText(tagOf(text, &s.table.seeds), text)
}

// numberOfText finds or adds a text.
func (s *keySet) numberOfText(tag uint64, text []byte) int32 {
	if number := s.table.findText(tag, text, &s.texts); number >= 0 {
		return number
	}
	return s.addText(tag, text)
}

func (s *keySet) numberOfNull() int32 {
	if s.null < 0 {
		if s.isFull() {
			return 0
		}
		s.null = int32(s.count)
		s.count++
		if s.kind == keyText {
			s.texts.add(nil)
		} else {
			s.keys = append(s.keys, 0)
		}
	}
	return s.null
}

func (s *keySet) addInteger(key uint64) int32 {
	if s.isFull() {
		return 0
	}
	number := int32(s.count)
	s.table.insert(key, number)
	s.keys = append(s.keys, key)
	s.count++
	return number
}

func (s *keySet) addText(tag uint64, text []byte) int32 {
	if s.isFull() {
		return 0
	}
	number := int32(s.count)
	s.table.insert(tag, number)
	s.texts.add(text)
	s.count++
	return number
}

func (s *keySet) isFull() bool {
	s.full = s.full || s.count >= s.limit
	return s.full
}

// merge adds the keys of other in their order and gives the number here for each number there.
func (s *keySet) merge(c *call, other *keySet) ([]int32, error) {
	numbers := make([]int32, other.count)
	for i := range numbers {
		if i%keyBlockRows == 0 {
			if err := c.cancelled(); err != nil {
				return nil, err
			}
		}
		switch {
		case int32(i) == other.null:
			numbers[i] = s.numberOfNull()
		case s.kind == keyText:
			text := other.texts.at(int32(i))
			numbers[i] = s.numberOfText(tagOf(text, &s.table.seeds), text)
		default:
			key := other.keys[i]
			if numbers[i] = s.table.find(key); numbers[i] < 0 {
				numbers[i] = s.addInteger(key)
			}
		}
	}
	return numbers, nil
}

// pairSet numbers the distinct pairs of two key numbers from 0 in order of first appearance. While the two sets
// are small a pair is looked up in a plain matrix, later in a hash table.
type pairSet struct {
	matrix []int32 // by first<<widthBits | second: number plus one, 0 = none
	height int     // rows of the matrix
	width  int     // columns of the matrix, a power of two
	table  hashTable
	pairs  []uint64 // first<<32 | second, by number
	limit  int
	full   bool
}

// matrixMax bounds the entries of the matrix: 1 MiB.
const matrixMax = 1 << 18

func newPairSet() pairSet {
	return pairSet{matrix: make([]int32, 64*64), height: 64, width: 64, limit: keysMax}
}

// number turns the first numbers into pair numbers, in place.
func (p *pairSet) number(firsts, seconds []int32, firstCount, secondCount int) {
	if p.matrix != nil && (firstCount > p.height || secondCount > p.width) {
		p.resize(firstCount, secondCount)
	}
	if p.matrix == nil {
		p.numberByTable(firsts, seconds)
		return
	}
	for i, first := range firsts {
		entry := &p.matrix[int(first)*p.width+int(seconds[i])]
		if *entry == 0 {
			*entry = p.add(first, seconds[i]) + 1
		}
		firsts[i] = *entry - 1
	}
}

func (p *pairSet) numberByTable(firsts, seconds []int32) {
	for i, first := range firsts {
		key := uint64(first)<<32 | uint64(seconds[i])
		number := p.table.find(key)
		if number < 0 {
			number = p.add(first, seconds[i])
			if !p.full {
				p.table.insert(key, number)
			}
		}
		firsts[i] = number
	}
}

func (p *pairSet) add(first, second int32) int32 {
	if len(p.pairs) >= p.limit {
		p.full = true
		return 0
	}
	p.pairs = append(p.pairs, uint64(first)<<32|uint64(second))
	return int32(len(p.pairs) - 1)
}

// resize lays the matrix out anew for larger sets, or gives it up for the table.
func (p *pairSet) resize(firstCount, secondCount int) {
	for p.height < firstCount {
		p.height *= 2
	}
	for p.width < secondCount {
		p.width *= 2
	}
	if p.height > matrixMax/p.width {
		p.matrix = nil
		watched := p.table.ctx
		p.table = newHashTable(len(p.pairs))
		p.table.ctx = watched
		for i, pair := range p.pairs {
			p.table.insert(pair, int32(i))
		}
		return
	}
	p.matrix = make([]int32, p.height*p.width)
	for i, pair := range p.pairs {
		p.matrix[int(pair>>32)*p.width+int(uint32(pair))] = int32(i) + 1
	}
}
