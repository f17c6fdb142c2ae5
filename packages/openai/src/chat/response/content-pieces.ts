import { type Fields, isObject, listOf } from "@jaf/model-http";

/** What a piece of content says and thinks. */
export interface Spoken {
  readonly text: string;
  readonly reasoning: string;
}

/** The content of a streamed reply: a text, or, of endpoints that stream parts (Mistral's), parts. */
export interface ContentPieces {
  readonly add: (content: unknown) => Spoken;
  /** `null`: nothing came. */
  readonly whole: () => string | readonly Fields[] | null;
}

const textIn = (part: Fields): string => (typeof part["text"] === "string" ? part["text"] : "");

const thoughtIn = (part: Fields): string =>
  listOf(part["thinking"])
    .map((piece) => (isObject(piece) ? textIn(piece) : ""))
    .join("");

export function contentPieces(): ContentPieces {
  let text: string | undefined;
  const parts: Record<string, unknown>[] = [];

  const addPart = (part: Fields): void => {
    const last = parts.at(-1);
    if (last !== undefined && part["type"] === "text" && last["type"] === "text")
      last["text"] = textIn(last) + textIn(part);
    else if (last !== undefined && part["type"] === "thinking" && last["type"] === "thinking")
      Object.assign(last, part, { thinking: [{ type: "text", text: thoughtIn(last) + thoughtIn(part) }] });
    else parts.push({ ...part });
  };

  return {
    add: (content) => {
      if (typeof content === "string") {
        if (parts.length > 0 && content !== "") addPart({ type: "text", text: content });
        else text = (text ?? "") + content;
        return { text: content, reasoning: "" };
      }
      const pieces = listOf(content).filter(isObject);
      if (pieces.length > 0 && text) addPart({ type: "text", text });
      if (pieces.length > 0) text = undefined;
      pieces.forEach(addPart);
      return { text: pieces.map(textIn).join(""), reasoning: pieces.map(thoughtIn).join("") };
    },
    whole: () => (parts.length > 0 ? parts : (text ?? null)),
  };
}
