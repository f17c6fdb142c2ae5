import { readdirSync } from "node:fs";
import { anthropic } from "../../../../test/recordings/anthropic/api.ts";
import { google } from "../../../../test/recordings/google/api.ts";
import { openaiChat } from "../../../../test/recordings/openai-chat/api.ts";
import { openaiResponses } from "../../../../test/recordings/openai-responses/api.ts";
import type { Recording } from "../../../../test/recordings/recording.ts";
import type { RecordedApi } from "../../../../test/recordings/replay.ts";

/** The recorded APIs, by the name of their folder. */
export const APIS = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  google,
} as const satisfies Readonly<Record<string, RecordedApi>>;

export type ApiName = keyof typeof APIS;

export interface Recorded {
  readonly apiName: ApiName;
  readonly api: RecordedApi;
  readonly recording: Recording;
  /** Its API, feature and name. */
  readonly title: string;
}

const FOLDER = new URL("../../../../test/recordings/", import.meta.url).pathname;

/** Loads all recordings of all APIs: every exported recording, and those in exported lists. */
export async function allRecordings(): Promise<readonly Recorded[]> {
  const all = await Promise.all((Object.keys(APIS) as ApiName[]).map(recordingsOf));
  return all.flat();
}

async function recordingsOf(apiName: ApiName): Promise<readonly Recorded[]> {
  const files = readdirSync(`${FOLDER}${apiName}`).filter(
    (file) => file !== "api.ts" && file.endsWith(".ts"),
  );
  const modules = await Promise.all(
    files.toSorted().map((file): Promise<object> => import(`${FOLDER}${apiName}/${file}`)),
  );
  // An index file may export the same recordings again.
  const found = new Set(modules.flatMap((module) => Object.values(module).flat()).filter(isRecording));
  return [...found].map((recording) => ({
    apiName,
    api: APIS[apiName],
    recording,
    title: `${apiName}, ${recording.feature}: ${recording.name}`,
  }));
}

const isRecording = (value: unknown): value is Recording =>
  typeof value === "object" && value !== null && "feature" in value && "replies" in value;
