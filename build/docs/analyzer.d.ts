/** The functions of the analyzer that the build uses. The types of the package leave them out. */
declare module '@custom-elements-manifest/analyzer' {
  import type typescript from 'typescript';

  export const ts: typeof typescript;
  /** A custom-elements manifest. */
  export function create(of: {
    modules: readonly typescript.SourceFile[];
    plugins: readonly unknown[];
    context: {dev: boolean};
  }): unknown;
}

declare module '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js' {
  export function litPlugin(): readonly unknown[];
}
