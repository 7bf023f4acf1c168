// The packages with the native part: which of them is installed depends on the platform.
declare module '@tenon/*' {
  const addon: any
  export = addon
}
