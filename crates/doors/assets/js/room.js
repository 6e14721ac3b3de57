// @ts-check
// The script of the pages around the reader.
