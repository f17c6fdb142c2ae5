export { PgliteFolderError, type PgliteFolderReason } from "./folder-error.ts";
export { openPglite, type PgliteDatabase, type PgliteOptions } from "./open.ts";
