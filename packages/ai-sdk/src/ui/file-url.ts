import type { ContentPart } from "@jaf/memory";
import { present } from "@jaf/memory/engine";
import { base64Of } from "../base64.ts";
import { fileOf } from "../prompt/media.ts";

export interface ShownFile {
  readonly mediaType: string;
  readonly url: string;
  readonly filename?: string;
}

/** `undefined` for a part that is no media, and for media that only its provider can find. */
export function shownFile(part: ContentPart): ShownFile | undefined {
  const file = fileOf(part, "");
  if (file === undefined || file.data.type === "reference") return undefined;
  const { mediaType, filename, data } = file;
  const url =
    data.type === "url"
      ? (data.originalUrl ?? data.url.href)
      : `data:${mediaType};base64,${base64Of(data.data)}`;
  return { mediaType, url, ...present({ filename }) };
}

const DATA_URL = /^data:[^,]*;base64,/;

/** The media at an address; `undefined` for any address but those of the web and of data. */
export function mediaAt({ mediaType, url, filename }: ShownFile): ContentPart | undefined {
  const named = present({ filename });
  const [head] = DATA_URL.exec(url) ?? [];
  if (head !== undefined) return { type: "media", mediaType, data: url.slice(head.length), ...named };
  return /^(https?|data):/i.test(url) ? { type: "media", mediaType, url, ...named } : undefined;
}
