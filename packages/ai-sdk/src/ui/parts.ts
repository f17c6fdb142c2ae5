import type { ContentPart } from "@jaf/memory";
import { partText, present } from "@jaf/memory/internal";
import { base64Of, type Fields, fieldsOf, textField } from "@jaf/model-http";
import { fileOf } from "../request/media.ts";
import { providerOptionsOf } from "../request/prompt.ts";
import { uiSource } from "./sources.ts";
import type { AiSdkUIPart, UIMetadata } from "./ui-message.ts";

/** Options for the conversion of messages into UI messages. */
export interface UIOptions {
  readonly reasoning: boolean;
  readonly providerMetadata: boolean;
  readonly isDynamic: (toolName: string) => boolean;
}

export function metadataOf(metadata: unknown, options: UIOptions): { providerMetadata?: UIMetadata } {
  const { providerOptions } = options.providerMetadata ? providerOptionsOf(metadata) : {};
  return present({ providerMetadata: providerOptions });
}

/** Converts a part that isn't a call. Returns `undefined` if the part has nothing to show. */
export function uiPart(part: ContentPart, options: UIOptions): AiSdkUIPart | undefined {
  const metadata = metadataOf(part["providerMetadata"], options);
  if (part.type === "reasoning") {
    const text = options.reasoning ? (textField(part, "text") ?? "") : "";
    // Kept even if empty: the client's copy then has parts, as the stored reply does.
    return { type: "reasoning", text, ...metadata };
  }
  if (part.type === "source") return uiSource(part, metadata.providerMetadata);
  if (part.type === "refusal") {
    const providerMetadata = {
      ...metadata.providerMetadata,
      jaf: { refusal: part["field"] === true ? "field" : "part" },
    };
    return { type: "text", text: textField(part, "refusal") ?? "", state: "done", providerMetadata };
  }
  const text = partText(part);
  if (text !== undefined) {
    return text === "" && metadata.providerMetadata === undefined
      ? undefined
      : { type: "text", text, state: "done", ...metadata };
  }
  const file = uiFile(part);
  return file === undefined ? undefined : { type: "file", ...file, ...metadata };
}

export interface UIFile {
  readonly mediaType: string;
  readonly url: string;
  readonly filename?: string;
}

/**
 * Returns the file of a media part. Returns `undefined` if the part isn't media, or if only its own provider can find the
 * file.
 */
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

/** Returns how a message has the refusal that a UI part shows. Returns `undefined` for any other UI part. */
export function refusalIn({ type, providerMetadata }: Fields): "field" | "part" | undefined {
  const { refusal } = fieldsOf(fieldsOf(providerMetadata)["jaf"]);
  return type === "text" && (refusal === "field" || refusal === "part") ? refusal : undefined;
}

const DATA_URL = /^data:[^,]*;base64,/;

/** Returns the media at a file's URL. Returns `undefined` unless the URL is a web URL or a `data:` URL. */
export function mediaAt({ mediaType, url, filename }: UIFile): ContentPart | undefined {
  const named = present({ filename });
  const [head] = DATA_URL.exec(url) ?? [];
  if (head !== undefined) return { type: "media", mediaType, data: url.slice(head.length), ...named };
  return /^(https?|data):/i.test(url) ? { type: "media", mediaType, url, ...named } : undefined;
}
