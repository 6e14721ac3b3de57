//! `lede check`: what is in force, and whether the database is sound.

use lede_store::Store;

use crate::config::Config;

pub(crate) fn run() -> anyhow::Result<()> {
    let config = Config::load()?;
    let mut out = String::new();
    for line in &config.effective {
        out.push_str(&format!(
            "{:<24} {:<40} {}\n",
            line.name, line.shown, line.origin
        ));
    }
    let finding = Store::inspect(&config.place)?;
    out.push_str(&format!("\nDatabase: {finding}\n"));
    #[expect(clippy::print_stdout, reason = "printing is what this command is for")]
    {
        print!("{out}");
    }
    Ok(())
}
