import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";

/**
 * Sets that measure what is heard of requests not to keep something, and which secrets are found. All of them were
 * written before the rules. The rules were made with the half `development`; the half `kept` was only measured. Then smaller sets, `later`, were written and put aside, the misses of `kept` were looked at, and the rules were made
 * with both halves.
 */
export type Half = "development" | "kept" | "later";

export interface Secret {
  readonly text: string;
  /** The part of the text that must not be kept. */
  readonly value: string;
}

const read = (name: string): string => readFileSync(new URL(`../data/${name}`, import.meta.url), "utf8");
const linesOf = (name: string): readonly string[] =>
  read(name)
    .split("\n")
    .filter((line) => line !== "");

const named = (name: string, half: Half, ending: string): string =>
  `${name}${half === "later" ? "-later" : ""}.${ending}`;

const digestOf = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

/** Returns every second text in the order of their hashes. */
function halfOf(texts: readonly string[], half: Half): readonly string[] {
  if (half === "later") return texts;
  const byHash = texts.map((text) => [digestOf(text), text] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return byHash.filter((_, index) => index % 2 === (half === "kept" ? 1 : 0)).map(([, text]) => text);
}

/** Requests not to keep something, by language. */
export function requestsOf(half: Half): readonly (readonly [language: string, text: string])[] {
  const all = JSON.parse(read(named("off-record-requests", half, "json"))) as Readonly<
    Record<string, readonly string[]>
  >;
  return Object.entries(all).flatMap(([language, texts]) =>
    halfOf(texts, half).map((text) => [language, text] as const),
  );
}

/** Messages with a secret. `{hex:32}` in the file stands for 32 random digits, so no value in the file is a real key. */
export const secretsOf = (half: Half): readonly Secret[] =>
  halfOf(linesOf(named("secrets", half, "txt")), half).map((line) => {
    const text = invented(line.replaceAll("‹›", "").replaceAll("\\n", "\n"));
    const value = /\[\[([\s\S]*?)\]\]/.exec(text)?.[1] ?? "";
    return { text: text.replaceAll(/\[\[|\]\]/g, ""), value };
  });

/** 500 messages of templates; with `../shared/data`, also 500 messages of people from there. */
export function ordinaryOf(half: Half): readonly string[] {
  const written = halfOf(linesOf(named("ordinary-messages", half, "txt")), half).flatMap((line) =>
    line.includes("{") && line.includes("|") ? [chosen(line, 0), chosen(line, 1)] : [line],
  );
  return half === "later" ? written : [...written.slice(0, 250), ...halfOf(sharedMessages(), half)];
}

const chosen = (template: string, index: number): string =>
  template.replaceAll(
    /\{([^{}]*\|[^{}]*)\}/g,
    (_, options: string) => options.split("|")[index] ?? options.split("|")[0] ?? "",
  );

const SHARED = ["beam-dev-5", "locomo-dev-3", "realmem-dev-3", "realtalk-dev-3", "tau-airline-50"];
const EACH = 100;

function sharedMessages(): readonly string[] {
  return SHARED.flatMap((name) => {
    const base = new URL(`../../../../../shared/data/${name}.json`, import.meta.url);
    const file = existsSync(base) ? base : new URL(`${base.href}l`);
    if (!existsSync(file)) return [];
    const text = readFileSync(file, "utf8");
    const said = new Set(
      file.href.endsWith("l") ? text.trim().split("\n").flatMap(linesSaid) : linesSaid(text),
    );
    return [...said]
      .map((message) => [digestOf(message), message] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, EACH)
      .map(([, message]) => message);
  });
}

const linesSaid = (json: string): readonly string[] => said(JSON.parse(json));

/** Returns the texts of the users in any of the formats of these files. */
function said(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(said);
  if (typeof value !== "object" || value === null) return [];
  const { role, text, content, speaker } = value as Readonly<Record<string, unknown>>;
  const words = text ?? content;
  if (typeof words === "string" && (role === "user" || (role === undefined && speaker !== undefined)))
    return [words];
  return Object.values(value).flatMap(said);
}

const ALPHABETS: Readonly<Record<string, string>> = {
  hex: "0123456789abcdef",
  digits: "0123456789",
  A32: "ABCDEFGHJKLMNPQRSTUVWXYZ234567",
  alpha: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
  alnum: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  b64: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
};

/** Replaces each placeholder by characters that depend on the line only. */
function invented(line: string): string {
  let count = 0;
  const from = (alphabet: string, length: number): string =>
    Array.from({ length }, () => {
      const byte = Number.parseInt(digestOf(`${line}${count++}`).slice(0, 8), 16);
      return alphabet[byte % alphabet.length];
    }).join("");
  return line.replaceAll(/\{(\w+):([^{}]+)\}/g, (_, kind: string, rest: string) => {
    if (kind === "iban" || kind === "ibanspaced") {
      const [country = "", own = ""] = rest.includes(":") ? rest.split(":") : [];
      const account = /^\d{1,2}$/.test(own) ? from("0123456789", Number(own)) : own;
      const iban = `${country}${checkDigits(country, account)}${account}`;
      return kind === "iban" ? iban : iban.replaceAll(/(.{4})(?=.)/g, "$1 ");
    }
    if (kind === "card" || kind === "cardspaced") {
      const number = withLuhn(rest + from("0123456789", (rest.startsWith("37") ? 14 : 15) - rest.length));
      return kind === "card" ? number : number.replaceAll(/(.{4})(?=.)/g, "$1 ");
    }
    return from(ALPHABETS[kind] ?? "", Number(rest));
  });
}

function checkDigits(country: string, account: string): string {
  const digits = [...`${account}${country}00`].map((sign) => Number.parseInt(sign, 36)).join("");
  return String(98n - (BigInt(digits) % 97n)).padStart(2, "0");
}

function withLuhn(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits + ((10 - (sum % 10)) % 10);
}
