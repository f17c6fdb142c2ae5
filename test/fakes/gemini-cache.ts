import { randomBytes } from "node:crypto";
import type { JsonObject } from "./service.ts";
import { Refusal } from "./service.ts";

/** A cached prompt. */
export interface KeptContent {
  /** E.g. `cachedContents/abc`. */
  readonly name: string;
  readonly body: JsonObject;
  readonly tokens: number;
}

export interface GeminiCache {
  /** Oldest first, including expired ones. */
  readonly made: readonly KeptContent[];
  readonly create: (body: JsonObject) => JsonObject;
  /** The cached prompt that a request names; `undefined` if it names none. Throws a {@link Refusal}. */
  readonly named: (body: JsonObject, model: string) => KeptContent | undefined;
  /** Expires all. */
  readonly end: () => void;
}

const FIELDS: ReadonlySet<string> = new Set([
  ...["model", "systemInstruction", "contents", "tools", "toolConfig", "ttl", "expireTime", "displayName"],
]);
/** The fields that a request with a cached prompt must not have. */
const FIXED = ["systemInstruction", "tools", "toolConfig"];

/** The `cachedContents` API with its documented rules. */
export function openGeminiCache(minTokens = 0): GeminiCache {
  const made: KeptContent[] = [];
  const live = new Map<string, KeptContent>();
  return {
    made,
    create: (body) => {
      for (const field of Object.keys(body))
        if (!FIELDS.has(field)) throw new Refusal(`Invalid JSON payload received. Unknown name "${field}"`);
      const { model, ttl, displayName } = body;
      if (typeof model !== "string" || !/^(models|tunedModels)\/.+/.test(model))
        throw new Refusal("* CreateCachedContentRequest.cached_content.model: unexpected model name format");
      if (ttl !== undefined && (typeof ttl !== "string" || !/^\d+(\.\d+)?s$/.test(ttl)))
        throw new Refusal("Invalid value at 'cached_content.ttl' (Duration)");
      if (typeof displayName === "string" && displayName.length > 128)
        throw new Refusal("* CreateCachedContentRequest.cached_content.display_name: too long");
      const { model: _, ttl: __, displayName: ___, ...prompt } = body;
      const tokens = Math.ceil(JSON.stringify(prompt).length / 4);
      if (tokens < minTokens)
        throw new Refusal(
          `Cached content is too small. total_token_count=${tokens}, min_total_token_count=${minTokens}`,
        );
      const kept = { name: `cachedContents/${randomBytes(8).toString("hex")}`, body, tokens };
      made.push(kept);
      live.set(kept.name, kept);
      const seconds = typeof ttl === "string" ? Number(ttl.slice(0, -1)) : 3_600;
      const now = Date.now();
      return {
        name: kept.name,
        model,
        createTime: new Date(now).toISOString(),
        expireTime: new Date(now + seconds * 1_000).toISOString(),
        usageMetadata: { totalTokenCount: tokens },
      };
    },
    named: (body, model) => {
      const name = body["cachedContent"];
      if (name === undefined) return undefined;
      if (FIXED.some((field) => body[field] !== undefined))
        throw new Refusal(
          "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.",
        );
      const kept = live.get(String(name));
      if (kept === undefined) throw new Refusal("CachedContent not found (or permission denied)", 403);
      if (kept.body["model"] !== `models/${model}`)
        throw new Refusal(
          "Model used by GenerateContent request and CachedContent (models) has to be the same.",
        );
      return kept;
    },
    end: () => live.clear(),
  };
}

const STATUSES: Readonly<Record<number, string>> = { 403: "PERMISSION_DENIED", 404: "NOT_FOUND" };

/** An error in Google's format. */
export const geminiError = ({ status, message }: Refusal): JsonObject => ({
  error: { code: status, message, status: STATUSES[status] ?? "INVALID_ARGUMENT" },
});
