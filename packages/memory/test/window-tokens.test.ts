import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  countMessageTokens,
  createGptTokenizer,
  estimateTokens,
  MemorySetupError,
  type Message,
  type RichMessage,
} from "@jaf/memory";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { describe, expect, it } from "vitest";
import { recordedConversations, recordedMissing } from "./support/recorded-conversations.ts";
import { calls, user } from "./support/window-histories.ts";

const TEXTS = {
  English: "The quick brown fox jumps over the lazy dog, and then it goes home to sleep.",
  JSON: '{"id":12345,"name":"Bob","tags":["a","b"],"price":19.99,"ok":true}',
  Chinese: "今天早上我去商店为全家人买了面包、牛奶和一些苹果，然后回家做饭。",
  Hebrew: "הבוקר הלכתי לחנות וקניתי לחם, חלב וכמה תפוחים לכל המשפחה.",
  Amharic: "ዛሬ ጠዋት ወደ ሱቅ ሄጄ ለቤተሰቡ ዳቦ፣ ወተት እና ፖም ገዛሁ።",
  Georgian: "დღეს დილით მაღაზიაში წავედი და ოჯახისთვის პური ვიყიდე.",
  emoji: "😀🎉👨‍👩‍👧‍👦🇩🇪🚀🔥❤️🥺",
};

describe("estimateTokens", () => {
  it("counts letters, other ASCII, and the bytes of everything else, each with its weight", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("eight ch")).toBe(2);
    expect(estimateTokens("123")).toBe(2);
    expect(estimateTokens("é")).toBe(2);
    expect(estimateTokens("界")).toBe(3);
    expect(estimateTokens("😀")).toBe(4);
  });

  it.each(["o200k_base", "cl100k_base"] as const)("is above %s in every script", async (encoding) => {
    const tokenizer = await createGptTokenizer({ encoding });
    for (const [script, text] of Object.entries(TEXTS)) {
      expect(estimateTokens(text), script).toBeGreaterThanOrEqual(tokenizer(text));
    }
  });

  it.skipIf(recordedMissing !== undefined)(
    `is 10 to 35 % above the recorded conversations${recordedMissing ? ` (skipped: ${recordedMissing})` : ""}`,
    async () => {
      const tokenizer = await createGptTokenizer();
      for (const messages of recordedConversations()) {
        const sum = (count: (message: Message) => number) =>
          messages.reduce((tokens, message) => tokens + count(message), 0);
        const ratio =
          sum((message) => countMessageTokens(message)) /
          sum((message) => countMessageTokens(message, tokenizer));
        expect(ratio).toBeGreaterThan(1.1);
        expect(ratio).toBeLessThan(1.35);
      }
    },
  );
});

describe("countMessageTokens", () => {
  const tokenizer = (text: string) => text.length;

  it("adds text, tool calls and what frames them", () => {
    expect(countMessageTokens(user("12345"), tokenizer)).toBe(9);
    expect(countMessageTokens(calls("a", "b"), tokenizer)).toBe(4 + 2 * (8 + "look".length + "{}".length));
  });

  it("counts text parts by their text, and media at a flat rate", () => {
    const rich: RichMessage = {
      role: "user",
      content: [
        { type: "text", text: "12345" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
      attachments: [{ kind: "document" }],
    };
    expect(countMessageTokens(rich, tokenizer)).toBe(4 + 5 + 2 * 1_600);
  });
});

describe("createGptTokenizer", () => {
  it("counts with an encoding or that of a model", async () => {
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

  it("counts what has breaks exactly, however long it is", async () => {
    const count = await createGptTokenizer({ encoding: "cl100k_base" });
    for (const text of Object.values(TEXTS).map((each) => `${each} `.repeat(30)))
      expect(count(text)).toBe(encode(text).length);
  });

  it("refuses an encoding or a model that doesn't exist, and both at once", async () => {
    const unknown = { encoding: "nonsense" as "gpt2" };
    await expect(createGptTokenizer(unknown)).rejects.toThrow(/^Invalid tokenizer options: encoding: /);
    await expect(createGptTokenizer({ model: "toString" })).rejects.toThrow(/tokenizer options: model: /);
    await expect(createGptTokenizer({ encoding: "gpt2", model: "gpt-4" })).rejects.toThrow(TypeError);
  });

  it("names the package where it is not installed", () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "jaf-tokenizer-")));
    try {
      cpSync(new URL("../src", import.meta.url), join(folder, "src"), { recursive: true });
      mkdirSync(join(folder, "node_modules"));
      const require = createRequire(import.meta.url);
      const zod = join(require.resolve("zod/package.json"), "..");
      symlinkSync(zod, join(folder, "node_modules/zod"));
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      const script = `import { createGptTokenizer } from "./src/window/gpt-tokenizer.ts";
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
