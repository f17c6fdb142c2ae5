import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeBytes, textIn, utf8Of, webBytes } from "../../src/runtime/bytes.ts";
import * as nodeDigest from "../../src/runtime/node-digest.ts";
import * as webDigest from "../../src/runtime/web-digest.ts";

const node = { ...nodeBytes, ...nodeDigest };
const web = { ...webBytes, ...webDigest };

// Hashes and base64 are stored, so every runtime must read what another has written.

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constant("\ud800x"),
);
const bytes = fc.uint8Array({ maxLength: 300 });

describe("hashes and bytes without Node's modules", () => {
  it.each([
    { name: "SHA-1", ofNode: node.sha1, ofWeb: web.sha1 },
    { name: "SHA-256", ofNode: node.sha256, ofWeb: web.sha256 },
    { name: "SHA-512/256", ofNode: node.sha512t256, ofWeb: web.sha512t256 },
  ])("makes the same $name", ({ ofNode, ofWeb }) => {
    fc.assert(
      fc.property(fc.oneof(texts, bytes), fc.constantFrom("hex", "base64url"), (data, encoding) => {
        expect(ofWeb(data, encoding)).toBe(ofNode(data, encoding));
      }),
    );
  });

  it("makes the same hash of a text in chunks", () => {
    fc.assert(
      fc.property(fc.array(texts), (pieces) => {
        const [ofNode, ofWeb] = [node.startSha512t256(), web.startSha512t256()];
        for (const piece of pieces) {
          ofNode.update(piece);
          ofWeb.update(piece);
        }
        expect(ofWeb.digest()).toBe(ofNode.digest());
      }),
    );
  });

  it("makes the same base64 of bytes, even of many and of a part of a buffer", () => {
    fc.assert(
      fc.property(bytes, fc.nat(3), (all, from) => {
        const part = all.subarray(from);
        expect(web.base64Of(part)).toBe(node.base64Of(part));
        expect(web.base64urlOf(part)).toBe(node.base64urlOf(part));
      }),
    );
    const many = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
    expect(web.base64Of(many)).toBe(node.base64Of(many));
    expect(web.bytesIn(web.base64Of(many))).toEqual(many);
  });

  it("reads the same bytes from base64, even if it is unpadded, base64url or broken", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."AQgz09+/-_ \n!é") });
    const padding = fc.constantFrom("", "=", "==");
    fc.assert(
      fc.property(letters, padding, (text, end) => {
        expect(web.bytesIn(text + end)).toEqual(node.bytesIn(text + end));
      }),
    );
  });

  it("compares bytes as Node does", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(web.sameBytes(a, b)).toBe(node.sameBytes(a, b));
        expect(web.sameBytes(a, a.slice())).toBe(true);
      }),
    );
  });

  it("reads UTF-8 like Node, including a byte order mark", () => {
    fc.assert(
      fc.property(bytes, (some) => {
        expect(textIn(some)).toBe(Buffer.from(some).toString("utf8"));
      }),
    );
    expect(textIn(utf8Of("\ufeffä"))).toBe("\ufeffä");
  });
});

describe("bytes that Node reads from base64", () => {
  it("share no memory with others", () => {
    for (const size of [1, 100, 5_000]) {
      const read = node.bytesIn(Buffer.alloc(size, 7).toString("base64"));
      expect(read.buffer.byteLength).toBe(size);
      expect(Object.getPrototypeOf(read)).toBe(Uint8Array.prototype);
    }
  });
});
