// Hashes, by Node's modules where they are. Apart from what an engine needs as it loads: without Node's modules they are code.
export { sha256, sha512t256, startSha512t256 } from "#digest";
