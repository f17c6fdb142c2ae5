import { isFields } from "./fields.ts";
import type { AiSdkModel } from "./model.ts";
import type { AiSdkProviderOptions } from "./options.ts";
import type { FilePart, PromptMessage } from "./prompt/prompt-types.ts";

interface Downloading {
  readonly download: AiSdkProviderOptions["download"];
  readonly signal: AbortSignal | undefined;
}

/** Puts the data of files in place of the addresses that the model's provider can't read. Rejects as `download` does. */
export async function withDownloads(
  prompt: readonly PromptMessage[],
  model: AiSdkModel,
  { download, signal }: Downloading,
): Promise<void> {
  if (download === undefined) return;
  const supported = await model.supportedUrls;
  await Promise.all(
    prompt.flatMap(filesOf).map(async (file) => {
      const { data, mediaType } = file;
      if (data.type !== "url" || isSupported(supported, mediaType, data.url)) return;
      file.data = { type: "data", data: await download(data.url, { mediaType, signal }) };
    }),
  );
}

function filesOf({ content }: PromptMessage): FilePart[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => {
    if (part.type === "file") return [part];
    if (part.type !== "tool-result" || part.output.type !== "content") return [];
    return part.output.value.filter((value) => value.type === "file");
  });
}

/** `supported`: regular expressions by media type, which may end in `*`. */
function isSupported(supported: unknown, mediaType: string, url: URL): boolean {
  const wanted = mediaType.toLowerCase();
  return Object.entries(isFields(supported) ? supported : {}).some(([pattern, expressions]) => {
    const prefix = pattern.toLowerCase().replace(/\*.*$/, "");
    const fits = pattern.includes("*") ? wanted.startsWith(prefix) : wanted === prefix;
    return fits && Array.isArray(expressions) && expressions.some((found) => isMatch(found, url));
  });
}

const isMatch = (expression: unknown, url: URL): boolean =>
  expression instanceof RegExp &&
  new RegExp(expression.source, expression.flags.replace(/[gy]/g, "")).test(url.href);
