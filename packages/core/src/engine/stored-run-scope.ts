/** What a run that stores what it says opens as it begins. */
export { openMedia } from "../context/media.ts";
export { storedSource } from "../context/stored-source.ts";
export { openJournal } from "../memory/run-journal.ts";
export { runKeyOf } from "./run-key.ts";
