# nix-build .ci/packages
{ pkgs ? import <nixpkgs> { } }:
pkgs.rustPlatform.buildRustPackage {
  pname = "hopscope";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../..;
  cargoLock.lockFile = ../../Cargo.lock;
  buildFeatures = [ "mcp" "https" ];
  nativeBuildInputs = [ pkgs.installShellFiles ];
  # They want a terminal, a home and the clock of a whole machine.
  doCheck = false;
  postInstall = ''
    $out/bin/hopscope man > hopscope.1
    installManPage hopscope.1
    for shell in bash zsh fish; do
      $out/bin/hopscope completions $shell > hopscope.$shell
      installShellCompletion --$shell hopscope.$shell
    done
  '';
  meta = {
    description = "Terminal explorer for graph retrieval";
    license = with pkgs.lib.licenses; [ mit asl20 ];
    mainProgram = "hopscope";
  };
}
