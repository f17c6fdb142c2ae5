import type { ContentPart } from "@jaf/memory";
import { partText, present } from "@jaf/memory/engine";
import { textField } from "../fields.ts";
import { providerOptionsOf } from "../prompt/provider-options.ts";
import { shownFile } from "./file-url.ts";
import type { AiSdkUIPart, UIMetadata } from "./ui-message.ts";

/** What is given out. */
export interface Shown {
  readonly reasoning: boolean;
  readonly providerMetadata: boolean;
  readonly isDynamic: (toolName: string) => boolean;
}

export function metadataOf(metadata: unknown, shown: Shown): { providerMetadata?: UIMetadata } {
  const { providerOptions } = shown.providerMetadata ? providerOptionsOf(metadata) : {};
  return present({ providerMetadata: providerOptions });
}

/** Of a part that isn't about a call; `undefined` where there is nothing to show. */
export function shownPart(part: ContentPart, shown: Shown): AiSdkUIPart | undefined {
  const metadata = metadataOf(part["providerMetadata"], shown);
  if (part.type === "reasoning") {
    const text = shown.reasoning ? (textField(part, "text") ?? "") : "";
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
  const file = shownFile(part);
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
