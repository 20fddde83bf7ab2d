import type { SettingsFile } from "../core/settings-schema.ts";
import { isUntrustedLayer, type SettingsLayer, type SettingsLayerName } from "./settings-layer.ts";

/** What became of a setting in one file. */
export interface SettingSource {
  readonly layer: SettingsLayerName;
  readonly file: string;
  /** As it stands in the file. */
  readonly value: unknown;
  /**
   * - `used`: it counts, alone or together with others
   * - `overridden`: another layer decided
   * - `ignored`: this layer may not set it so
   */
  readonly effect: "used" | "overridden" | "ignored";
}

/** What the files together say about one setting. */
export interface SettingDecision<Value = unknown> {
  /** As it would stand in a file; undefined where no file says anything that counts. */
  readonly value: Value | undefined;
  /** The strongest layer first. */
  readonly sources: readonly SettingSource[];
}

type Read<Value> = (values: SettingsFile) => Value | undefined;

/** A setting with one value, which the strongest trusted layer chooses. */
export function decideChoice<Value>(layers: readonly SettingsLayer[], read: Read<Value>): SettingDecision<Value> {
  const winner = layers.find(({ name, values }) => !isUntrustedLayer(name) && read(values) !== undefined);
  return {
    value: winner === undefined ? undefined : read(winner.values),
    sources: sourcesOf(layers, read, ({ name }) => {
      if (name === winner?.name) return "used";
      return isUntrustedLayer(name) ? "ignored" : "overridden";
    }),
  };
}

/** A setting with one value, of which the strictest holds. A layer that is not trusted counts only where it is stricter than all others. */
export function decideLimit<Value>(
  layers: readonly SettingsLayer[],
  options: {
    readonly read: Read<Value>;
    /** The lower, the stricter. */
    readonly rank: (value: Value) => number;
    /** What holds where no trusted layer sets one; undefined: anything is allowed. */
    readonly builtIn: Value | undefined;
    /** Whether layers that are not trusted may make it stricter. */
    readonly mayNarrow: boolean;
  },
): SettingDecision<Value> {
  const { read, builtIn, mayNarrow } = options;
  const rank = (value: Value | undefined) => (value === undefined ? Number.POSITIVE_INFINITY : options.rank(value));
  const rankOf = ({ values }: SettingsLayer) => rank(read(values));
  const present = layers.filter(({ values }) => read(values) !== undefined);
  const trusted = present.filter(({ name }) => !isUntrustedLayer(name));
  const bound = trusted.length === 0 ? rank(builtIn) : Math.min(...trusted.map(rankOf));
  const counts = (layer: SettingsLayer) => !isUntrustedLayer(layer.name) || (mayNarrow && rankOf(layer) < bound);
  const counted = present.filter(counts);
  const strictest = Math.min(...counted.map(rankOf));
  // Of two that are equally strict the user's own choice, which is within what the administrator allows.
  const winner = counted.findLast((layer) => rankOf(layer) === strictest);
  return {
    value: winner === undefined ? undefined : read(winner.values),
    sources: sourcesOf(layers, read, (layer) => {
      if (layer === winner) return "used";
      // Who asks for what holds already loses nothing.
      return counts(layer) || (mayNarrow && rankOf(layer) === bound) ? "overridden" : "ignored";
    }),
  };
}

/** A setting to which layers add their own. */
export function decideUnion<Value>(
  layers: readonly SettingsLayer[],
  options: {
    readonly read: Read<Value>;
    /** Of at least one value, the strongest layer's first. */
    readonly combine: (values: readonly Value[]) => Value;
    /** Whether layers that are not trusted may add too. */
    readonly isOpenToAll: boolean;
  },
): SettingDecision<Value> {
  const mayAdd = ({ name }: SettingsLayer) => options.isOpenToAll || !isUntrustedLayer(name);
  const values = layers.filter(mayAdd).flatMap((layer) => {
    const value = options.read(layer.values);
    return value === undefined ? [] : [{ value }];
  });
  return {
    value: values.length === 0 ? undefined : options.combine(values.map(({ value }) => value)),
    sources: sourcesOf(layers, options.read, (layer) => (mayAdd(layer) ? "used" : "ignored")),
  };
}

function sourcesOf<Value>(layers: readonly SettingsLayer[], read: Read<Value>, effectOf: (layer: SettingsLayer) => SettingSource["effect"]): SettingSource[] {
  return layers.flatMap((layer) => {
    const value = read(layer.values);
    return value === undefined ? [] : [{ layer: layer.name, file: layer.file, value, effect: effectOf(layer) }];
  });
}
