// What `#platform` is where Node's modules are: under Node, Deno and Bun.
export { base64Of, base64urlOf, bytesIn, sameBytes } from "./node-bytes.ts";
export { sha1, sha256, sha512t256, startSha512t256 } from "./node-digest.ts";
