// `tsc --init` writes `exactOptionalPropertyTypes`: an optional property then takes `undefined` only where its type says so. Callers have values
// that may be absent (`settings: process.env.SETTINGS`), and frameworks hand over such ones, so whatever they give us says so.

import { readFileSync } from 'node:fs'
import path from 'node:path'

import ts from 'typescript'
import { expect, test } from 'vitest'

import { ROOT } from './support/run.js'

const entries = Object.keys(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).exports).filter((name) => name !== './package.json')
const files = entries.map((name) => path.join(ROOT, `${name === '.' ? 'index' : name.slice(2)}.d.ts`))

/** Optional properties that a caller gives and that do not take `undefined`. */
function refusing(): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  })
  const checker = program.getTypeChecker()
  const isOurs = (node: ts.Node) => files.includes(node.getSourceFile().fileName)
  const seen = new Set<string>()
  const found = new Set<string>()

  const signature = (one: ts.Signature, isGiven: boolean, at: ts.Node) => {
    for (const parameter of one.getParameters()) walk(checker.getTypeOfSymbolAtLocation(parameter, at), !isGiven, at)
    walk(one.getReturnType(), isGiven, at)
  }
  /** A type that a caller gives, or gets: what a function of it is called with goes the other way. */
  const walk = (type: ts.Type, isGiven: boolean, at: ts.Node): void => {
    const key = `${(type as any).id}${isGiven}`
    if (seen.has(key)) return
    seen.add(key)
    if (type.isUnionOrIntersection()) for (const part of type.types) walk(part, isGiven, at)
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) walk(argument, isGiven, at)
    for (const one of [...type.getCallSignatures(), ...type.getConstructSignatures()])
      if (one.declaration && isOurs(one.declaration)) signature(one, isGiven, at)
    for (const property of type.isIntersection() ? [] : type.getProperties()) {
      const declaration = property.valueDeclaration
      if (!declaration || !isOurs(declaration)) continue
      const own = checker.getTypeOfSymbolAtLocation(property, declaration)
      if (isGiven && property.flags & ts.SymbolFlags.Optional && ts.isPropertySignature(declaration) && !takesUndefined(declaration.type!)) {
        found.add(`${path.basename(declaration.getSourceFile().fileName)}: ${declaration.getText().replace(/\s+/g, ' ').slice(0, 100)}`)
      }
      walk(own, isGiven, declaration)
    }
  }
  const takesUndefined = (node: ts.TypeNode): boolean => {
    const type = checker.getTypeFromTypeNode(node)
    return (
      Boolean(type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Undefined)) ||
      (type.isUnion() && type.types.some(({ flags }) => flags & ts.TypeFlags.Undefined))
    )
  }

  for (const file of files) {
    const source = program.getSourceFile(file)!
    for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)) {
      const declaration = symbol.valueDeclaration ?? (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol).valueDeclaration : undefined)
      if (declaration && isOurs(declaration)) walk(checker.getTypeOfSymbolAtLocation(symbol, declaration), false, declaration)
    }
  }
  return [...found].sort()
}

test('whatever callers and frameworks give takes `undefined` for what is optional', () => {
  expect(refusing()).toEqual([])
})
