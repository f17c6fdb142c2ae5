export { AiSdkCallError } from "./errors.ts";
export type { AiSdkModel, AiSdkModelFactory, AiSdkStream } from "./model.ts";
export type { AiSdkProviderOptions, DownloadRequest } from "./options.ts";
export { createAiSdkProvider } from "./provider.ts";
