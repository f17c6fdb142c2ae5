import { base64Of, sha512t256, startSha512t256 } from "@jaf/memory/internal";

/** The number of characters that are hashed at a time. */
const CHUNK = 65_536;

/**
 * Returns a digest (SHA-512/256, base64url) of a value. Values that are equal as JSON or as bytes have the same digest,
 * whatever the order of their fields is. Throws for cycles and for values that can't be written as JSON.
 */
export function fingerprint(value: unknown): string {
  // Not SHA-256, because it takes 1.5 times as long on machines without instructions for it.
  const text: Text = { pending: "", hashed: undefined };
  write(text, value);
  if (text.hashed === undefined) return sha512t256(text.pending, "base64url");
  text.hashed.update(text.pending);
  return text.hashed.digest();
}

interface Text {
  pending: string;
  /** The hash of all text before `pending`. `undefined`: all text is still in `pending`. */
  hashed: ReturnType<typeof startSha512t256> | undefined;
}

/** Writes a value as text for the hash. */
function write(text: Text, value: unknown): void {
  // Texts are written with their lengths, because `["ab", "c"]` and `["a", "bc"]` must differ.
  if (Array.isArray(value)) {
    text.pending += `[${value.length}:`;
    for (const item of value) write(text, item);
    return;
  }
  const message = asTextMessage(value);
  if (message === undefined) {
    const json = JSON.stringify(inOrder(value)) ?? "null";
    text.pending += `j${json.length}:${json}`;
  } else {
    const { role, texts } = message;
    text.pending += `m${role.length}:${role}`;
    if (typeof texts === "string") text.pending += `${texts.length}:${texts}`;
    else {
      text.pending += `[${texts.length}:`;
      for (const each of texts) text.pending += `${each.length}:${each}`;
    }
  }
  if (text.pending.length < CHUNK) return;
  text.hashed ??= startSha512t256();
  text.hashed.update(text.pending);
  text.pending = "";
}

interface TextMessage {
  readonly role: string;
  /** The content if it is a text; otherwise the texts of its parts. */
  readonly texts: string | readonly string[];
}

/** Returns the role and the texts of a message that has only a text or text parts; `undefined` for any other value. */
function asTextMessage(value: unknown): TextMessage | undefined {
  // Hashed without JSON, because JSON takes several times as long. A lone surrogate needs JSON, because UTF-8 can't
  // encode it.
  if (typeof value !== "object" || value === null) return undefined;
  const { role, content, toJSON } = value as Readonly<Record<string, unknown>>;
  const texts = textsIn(content);
  if (typeof role !== "string" || texts === undefined || typeof toJSON === "function") return undefined;
  const keys = Object.keys(value);
  if (keys.filter(isFieldOfText).length !== 2) return undefined;
  if (keys.length > 2 && keys.some((key) => !isFieldOfText(key) && isSet(value, key))) return undefined;
  const isEncodable = typeof texts === "string" ? !LONE_SURROGATE.test(texts) : !texts.some(hasLoneSurrogate);
  return isEncodable && !LONE_SURROGATE.test(role) ? { role, texts } : undefined;
}

/** Returns a text, or the texts of a list of text parts; `undefined` for any other content. */
function textsIn(content: unknown): string | readonly string[] | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const texts: string[] = [];
  for (const part of content as readonly unknown[]) {
    if (typeof part !== "object" || part === null) return undefined;
    const { type, text, toJSON } = part as Readonly<Record<string, unknown>>;
    if (type !== "text" || typeof text !== "string" || toJSON !== undefined) return undefined;
    if (
      Object.keys(part).length > 2 &&
      Object.keys(part).some((key) => !isFieldOfTextPart(key) && isSet(part, key))
    )
      return undefined;
    texts.push(text);
  }
  return texts;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

const hasLoneSurrogate = (text: string): boolean => LONE_SURROGATE.test(text);

const isFieldOfTextPart = (key: string): boolean => key === "type" || key === "text";
const isFieldOfText = (key: string): boolean => key === "role" || key === "content";
const isSet = (value: object, key: string): boolean => (value as Record<string, unknown>)[key] !== undefined;

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  // Plain objects become `{ "": [...] }`, so they can't be confused with this one.
  if (value instanceof Uint8Array) return { bytes: base64Of(value) };
  const fields = value as Readonly<Record<string, unknown>>;
  if (typeof fields["toJSON"] === "function") return value;
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
  const flat: unknown[] = [];
  for (const key of keys.sort()) flat.push(key, inOrder(fields[key]));
  return { "": flat };
}
