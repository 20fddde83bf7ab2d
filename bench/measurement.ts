export interface BenchPrograms {
  readonly agent: string;
  /** A compiled program that does nothing. */
  readonly empty: string;
}

export interface BenchRow {
  readonly what: string;
  readonly value: number;
  readonly atMost: number;
  readonly digits?: number;
  /** The figures behind the value. */
  readonly note?: string;
}

export type Measurement = (world: { readonly programs: BenchPrograms; readonly directory: string }) => Promise<readonly BenchRow[]>;
