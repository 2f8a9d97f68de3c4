/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.h: the two numbers that a build of the library carries.
 *
 * TOMBOLO_ABI is compared for equality when a library is opened. It changes with any struct of library.h or
 * host.h and with any change of meaning; the version text is for people.
 */
#pragma once

#define TOMBOLO_ABI 1
#define TOMBOLO_VERSION "0.1.0"
