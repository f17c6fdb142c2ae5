export { shownParts } from "./ai-sdk.ts";
