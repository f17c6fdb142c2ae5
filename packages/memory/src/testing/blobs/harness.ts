import type { BlobStore } from "../../blobs/blob-store.ts";

/** A blob store of one test: empty at first, and seen by no other test. */
export interface TestBlobStore {
  readonly store: BlobStore;
  /** One more store on the same storage, as independent as another process. Absent for one that lives in one process. */
  readonly connect?: () => Promise<BlobStore>;
  /** Removes the storage. Called when the test is over, whether or not it closed the store. */
  readonly dispose: () => Promise<void>;
}

/** What an adapter's test hands to `describeBlobStoreConformance`. */
export interface BlobStoreHarness {
  /** Shown in the test titles, e.g. `"s3"`. */
  readonly name: string;
  /** A fresh, empty namespace. Several may be in use at once. */
  readonly createStore: () => Promise<TestBlobStore>;
  /** Bytes of the largest blob that is tried. Default 20,000,000. */
  readonly largestBytes?: number;
  /** Milliseconds that one test may take. Default 30,000. */
  readonly timeoutMs?: number;
}
