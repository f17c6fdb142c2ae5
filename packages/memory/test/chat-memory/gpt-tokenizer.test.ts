import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createGptTokenizer, MemorySetupError } from "@jaf/memory";
import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { describe, expect, it } from "vitest";
import { slicesOf } from "../../src/chat-memory/gpt-tokenizer.ts";
import { TEXTS } from "../history/window/texts.ts";

const runs = fc.array(
  fc.tuple(fc.constantFrom("a", "é", "漢", "😀", "𠀀", "7", " ", "\n", "!", "=", "e\u0301"), fc.nat(1_500)),
  { maxLength: 6 },
);

const LONG_RUN = /[\p{L}\p{M}]{501,}|\p{N}{501,}|\s{501,}|[^\p{L}\p{M}\p{N}\s]{501,}/u;

describe("the slices of a text for a tokenizer", () => {
  it("join to the text, contain no unbroken run over 500 units, and split no surrogate pair", () => {
    fc.assert(
      fc.property(runs, (pieces) => {
        const text = pieces.map(([sign, times]) => sign.repeat(times)).join("");
        const slices = slicesOf(text);
        expect(slices.join("")).toBe(text);
        for (const slice of slices) {
          expect(LONG_RUN.test(slice)).toBe(false);
          expect(slice).not.toMatch(/\p{Surrogate}/u);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("are a single slice for a text with breaks", () => {
    const text = "Some words, and 1234 numbers.\n".repeat(500);
    expect(slicesOf(text)).toEqual([text]);
    expect(slicesOf("")).toEqual([""]);
  });
});

describe("createGptTokenizer", () => {
  it("counts with an encoding, or a model's encoding", async () => {
    const text = TEXTS.Georgian;
    const [o200k, cl100k, gpt4] = await Promise.all([
      createGptTokenizer(),
      createGptTokenizer({ encoding: "cl100k_base" }),
      createGptTokenizer({ model: "gpt-4" }),
    ]);
    expect(o200k(text)).toBeLessThan(cl100k(text));
    expect(cl100k(text)).toBe(encode(text).length);
    expect(gpt4(text)).toBe(cl100k(text));
    expect(o200k("<|endoftext|>")).toBeGreaterThan(1);
  });

  it.each([["a"], [" "], ["!"], ["="], ["\n"], ["漢"], ["\u0e31"]])(
    "counts %j without a break in slices, in time that is linear, and little more than there are",
    async (sign) => {
      const [count, { countTokens }] = await Promise.all([
        createGptTokenizer(),
        import("gpt-tokenizer/encoding/o200k_base"),
      ]);
      const exact = countTokens(sign.repeat(5_000));
      expect(count(sign.repeat(5_000))).toBe(10 * count(sign.repeat(500)));
      expect(count(sign.repeat(5_000))).toBeGreaterThanOrEqual(exact);
      expect(count(sign.repeat(5_000))).toBeLessThanOrEqual(exact + 25);
    },
  );

  it("counts text with breaks exactly, at any length", async () => {
    const count = await createGptTokenizer({ encoding: "cl100k_base" });
    for (const text of Object.values(TEXTS).map((each) => `${each} `.repeat(30)))
      expect(count(text)).toBe(encode(text).length);
  });

  it("refuses an unknown encoding or model, and both together", async () => {
    const unknown = { encoding: "nonsense" as "gpt2" };
    await expect(createGptTokenizer(unknown)).rejects.toThrow(/^Invalid tokenizer options: encoding: /);
    await expect(createGptTokenizer({ model: "toString" })).rejects.toThrow(/tokenizer options: model: /);
    await expect(createGptTokenizer({ encoding: "gpt2", model: "gpt-4" })).rejects.toThrow(TypeError);
  });

  it("names the package if it is not installed", () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "jaf-tokenizer-")));
    try {
      cpSync(new URL("../../src", import.meta.url), join(folder, "src"), { recursive: true });
      mkdirSync(join(folder, "node_modules"));
      const require = createRequire(import.meta.url);
      const zod = join(require.resolve("zod/package.json"), "..");
      symlinkSync(zod, join(folder, "node_modules/zod"));
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      const script = `import { createGptTokenizer } from "./src/chat-memory/gpt-tokenizer.ts";
        createGptTokenizer().catch(({ name, message }) => console.log(name, message));`;
      writeFileSync(join(folder, "main.ts"), script);
      const tsx = pathToFileURL(require.resolve("tsx")).href;
      const output = execFileSync(process.execPath, ["--import", tsx, "main.ts"], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(output).toContain(MemorySetupError.name);
      expect(output).toContain('the package gpt-tokenizer is not installed. Run "npm install gpt-tokenizer"');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
