// SPDX-License-Identifier: Apache-2.0

package portable

func valueSetKinds() []objectKind { return nil }
