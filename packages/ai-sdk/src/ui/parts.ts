import type { ContentPart } from "@jaf/memory";
import { partText, present } from "@jaf/memory/internal";
import { textField } from "../fields.ts";
import { base64Of, fileOf } from "../request/media.ts";
import { providerOptionsOf } from "../request/prompt.ts";
import type { AiSdkUIPart, UIMetadata } from "./ui-message.ts";

/** What is given out. */
export interface UIOptions {
  readonly reasoning: boolean;
  readonly providerMetadata: boolean;
  readonly isDynamic: (toolName: string) => boolean;
}

export function metadataOf(metadata: unknown, options: UIOptions): { providerMetadata?: UIMetadata } {
  const { providerOptions } = options.providerMetadata ? providerOptionsOf(metadata) : {};
  return present({ providerMetadata: providerOptions });
}

/** Of a part that isn't about a call; `undefined` where there is nothing to show. */
export function uiPart(part: ContentPart, options: UIOptions): AiSdkUIPart | undefined {
  const metadata = metadataOf(part["providerMetadata"], options);
  if (part.type === "reasoning") {
    const text = options.reasoning ? (textField(part, "text") ?? "") : "";
    // Also where nothing of it is shown: what comes back is a reply in parts then, as the one that is stored.
    return { type: "reasoning", text, ...metadata };
  }
  if (part.type === "source") return source(part, metadata);
  const text = part.type === "refusal" ? textField(part, "refusal") : partText(part);
  if (text !== undefined) {
    return text === "" && metadata.providerMetadata === undefined
      ? undefined
      : { type: "text", text, state: "done", ...metadata };
  }
  const file = uiFile(part);
  return file === undefined ? undefined : { type: "file", ...file, ...metadata };
}

function source(part: ContentPart, metadata: { providerMetadata?: UIMetadata }): AiSdkUIPart | undefined {
  const [url, title, mediaType, filename] = ["url", "title", "mediaType", "filename"].map((name) =>
    textField(part, name),
  );
  const sourceId = textField(part, "id") ?? url ?? title ?? "";
  if (url !== undefined) {
    return { type: "source-url", sourceId, url, ...present({ title }), ...metadata };
  }
  if (mediaType === undefined || title === undefined) return undefined;
  const named = present({ filename });
  return { type: "source-document", sourceId, mediaType, title, ...named, ...metadata };
}

export interface UIFile {
  readonly mediaType: string;
  readonly url: string;
  readonly filename?: string;
}

/** `undefined` for a part that is no media, and for media that only its provider can find. */
function uiFile(part: ContentPart): UIFile | undefined {
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
export function mediaAt({ mediaType, url, filename }: UIFile): ContentPart | undefined {
  const named = present({ filename });
  const [head] = DATA_URL.exec(url) ?? [];
  if (head !== undefined) return { type: "media", mediaType, data: url.slice(head.length), ...named };
  return /^(https?|data):/i.test(url) ? { type: "media", mediaType, url, ...named } : undefined;
}
